#include "model/calibrate/fit_kernel_law.hpp"

#include <cmath>

#include "model/calibrate/robust_fit.hpp"
#include "model/cost/kernel_law.hpp"

namespace orrery {
namespace {

/// A free parameter: where it lives in the law, and its prior in ln(value) (shares: the value itself).
struct Free {
    double (*get)(const KernelLaw&);
    void (*set)(KernelLaw&, double);
    bool logarithmic;
    double priorSigma, lower, upper;  // lower and upper are values, not logarithms
};

// Ranges are those documented at KernelLaw; sigmas say how far GPUs and libraries differ from the defaults.
const Free kComputeEfficiency{[](const KernelLaw& l) { return l.computeEfficiency; },
                              [](KernelLaw& l, double v) { l.computeEfficiency = v; },
                              true,
                              0.5,
                              1e-3,
                              1.15};
const Free kHalfTile{[](const KernelLaw& l) { return l.halfTile; },
                     [](KernelLaw& l, double v) { l.halfTile = v; },
                     true,
                     1.0,
                     0.5,
                     200.0};
const Free kWaveOverhead{[](const KernelLaw& l) { return l.waveOverhead.value(); },
                         [](KernelLaw& l, double v) { l.waveOverhead = Seconds(v); },
                         true,
                         1.0,
                         0.02e-6,
                         20e-6};
const Free kWaveShare{[](const KernelLaw& l) { return l.waveShare; },
                      [](KernelLaw& l, double v) { l.waveShare = v; },
                      false,
                      0.3,
                      0.0,
                      1.0};
const Free kSustainedShare{[](const KernelLaw& l) { return l.sustainedShare; },
                           [](KernelLaw& l, double v) { l.sustainedShare = v; },
                           false,
                           0.15,
                           0.5,
                           1.0};
const Free kBurstWork{[](const KernelLaw& l) { return l.burstWork.value(); },
                      [](KernelLaw& l, double v) { l.burstWork = Flops(v); },
                      true,
                      1.5,
                      1e10,
                      1e14};
const Free kHalfK{
    [](const KernelLaw& l) { return l.halfK; }, [](KernelLaw& l, double v) { l.halfK = v; }, true, 1.0, 0.5, 4096.0};
const Free kHalfMN{
    [](const KernelLaw& l) { return l.halfMN; }, [](KernelLaw& l, double v) { l.halfMN = v; }, true, 1.0, 0.5, 16384.0};
const Free kBandwidthEfficiency{[](const KernelLaw& l) { return l.bandwidthEfficiency; },
                                [](KernelLaw& l, double v) { l.bandwidthEfficiency = v; },
                                true,
                                0.5,
                                1e-3,
                                4.0};
const Free kOverhead{[](const KernelLaw& l) { return l.overhead.value(); },
                     [](KernelLaw& l, double v) { l.overhead = Seconds(v); },
                     true,
                     1.5,
                     1e-8,
                     1e-3};

std::vector<Free> freeParameters(const KernelLaw& law) {
    std::vector<Free> free{kOverhead, kBandwidthEfficiency};
    const bool matrix = law.cls == OpClass::gemm || law.cls == OpClass::groupedGemm;
    if (matrix || law.cls == OpClass::attention) free.push_back(kComputeEfficiency);
    if (matrix && law.halfTile > 0.0) {
        free.insert(free.end(), {kHalfTile, kWaveOverhead, kWaveShare, kSustainedShare, kBurstWork});
    } else if (matrix || law.cls == OpClass::attention) {
        free.insert(free.end(), {kHalfK, kHalfMN});
    }
    return free;
}

double encode(const Free& f, double value) {
    return f.logarithmic ? std::log(value) : value;
}

void decode(KernelLaw& law, const std::vector<Free>& free, const Eigen::VectorXd& values) {
    for (std::size_t j = 0; j < free.size(); ++j) {
        const double v = values[static_cast<Eigen::Index>(j)];
        free[j].set(law, free[j].logarithmic ? std::exp(v) : v);
    }
}

}  // namespace

std::vector<double> logResiduals(const KernelLaw& law, std::span<const KernelTableEntry> samples, const GpuSpec& gpu) {
    const DevicePeaks peaks = peaksFor(law.cls, law.dtype, gpu);
    std::vector<double> residuals;
    residuals.reserve(samples.size());
    for (const KernelTableEntry& sample : samples) {
        residuals.push_back(std::log(sample.time / evaluate(law, sample.op, peaks).total()));
    }
    return residuals;
}

KernelLaw fitKernelLaw(std::span<const KernelTableEntry> samples, const GpuSpec& gpu) {
    const KernelTableEntry& first = samples.front();
    KernelLaw law = defaultLaw(first.op.cls, first.op.pass, first.op.dtype, gpu);
    law.opName = first.opName;
    if (law.overhead.value() <= 0.0) law.overhead = 1_us;
    const std::vector<Free> free = freeParameters(law);
    std::vector<FitParameter> parameters;
    for (const Free& f : free) {
        parameters.push_back(
            {encode(f, f.get(law)), f.priorSigma, encode(f, f.logarithmic ? f.lower : f.lower), encode(f, f.upper)});
    }
    const DevicePeaks peaks = peaksFor(law.cls, law.dtype, gpu);
    KernelLaw trial = law;
    const Residuals residuals = [&](const Eigen::VectorXd& values, Eigen::VectorXd& out) {
        decode(trial, free, values);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            out[static_cast<Eigen::Index>(i)] =
                std::log(samples[i].time / evaluate(trial, samples[i].op, peaks).total());
        }
    };
    const FitResult fit = robustFit(parameters, static_cast<Eigen::Index>(samples.size()), residuals);
    decode(law, free, fit.values);
    law.samples = static_cast<int>(samples.size());
    double sum = 0.0;
    for (const double r : logResiduals(law, samples, gpu)) sum += r * r;
    law.residual = std::sqrt(sum / static_cast<double>(samples.size()));
    return law;
}

}  // namespace orrery
