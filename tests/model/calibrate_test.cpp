// Fits find the law that made the samples, survive outliers and few samples, and say how sure they are.
#include "model/calibrate/calibrate.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "model/calibrate/holdout.hpp"
#include "model/calibrate/kriging.hpp"
#include "model/cost/cost_model.hpp"
#include "model/cost/kernel_law.hpp"

using namespace orrery;

namespace {

GpuSpec gpu(int multiprocessors = 100) {
    GpuSpec spec;
    spec.name = multiprocessors > 16 ? "TestGPU" : "cpu";
    spec.peaks[DType::bf16] = 300_TFLOPps;
    spec.peaks[DType::fp32] = 50_TFLOPps;
    spec.vectorPeak = 20_TFLOPps;
    spec.memoryBandwidth = 2000_GBps;
    spec.multiprocessors = multiprocessors;
    spec.launchOverhead = 3_us;
    return spec;
}

GpuLookup lookup(const GpuSpec& spec) {
    return [spec](std::string_view name) { return name == spec.name ? std::optional(spec) : std::nullopt; };
}

KernelSample gemmSample(const GpuSpec& spec, std::int64_t m, std::int64_t n, std::int64_t k, const KernelLaw& law,
                        double factor) {
    KernelSample sample;
    sample.device = spec.name;
    sample.op.cls = OpClass::gemm;
    sample.op.dtype = law.dtype;
    sample.op.m = m;
    sample.op.n = n;
    sample.op.k = k;
    const auto d = [](std::int64_t v) { return static_cast<double>(v); };
    sample.op.flops = Flops(2.0 * d(m) * d(n) * d(k));
    sample.op.bytes = Bytes(2.0 * (d(m) * d(k) + d(k) * d(n) + d(m) * d(n)));
    sample.opName = law.opName;
    sample.time = evaluate(law, sample.op, peaksFor(OpClass::gemm, law.dtype, spec)).total() * factor;
    return sample;
}

KernelLaw trueLaw() {
    KernelLaw law = defaultLaw(OpClass::gemm, Pass::forward, DType::bf16, gpu());
    law.computeEfficiency = 0.7;
    law.halfTile = 25.0;
    law.waveOverhead = 1.5_us;
    law.overhead = 6_us;
    return law;
}

std::vector<KernelSample> samplesOf(const KernelLaw& law, double noise, double outlierShare) {
    std::mt19937 random(7);
    std::normal_distribution<double> spread(0.0, noise);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<KernelSample> samples;
    for (const std::int64_t m : {256, 1024, 4096, 16384}) {
        for (const std::int64_t n : {512, 2048, 8192}) {
            for (const std::int64_t k : {256, 1024, 4096, 8192}) {
                const double outlier = uniform(random) < outlierShare ? 3.0 : 1.0;
                samples.push_back(gemmSample(gpu(), m, n, k, law, std::exp(spread(random)) * outlier));
            }
        }
    }
    return samples;
}

}  // namespace

TEST_CASE("a fit recovers the law behind noisy samples with outliers", "[calibrate]") {
    const Calibration fitted = calibrate({samplesOf(trueLaw(), 0.02, 0.1), {}, {}}, lookup(gpu()));
    REQUIRE(fitted.devices.size() == 1);
    REQUIRE(fitted.devices[0].laws.size() == 1);
    const KernelLaw& law = fitted.devices[0].laws[0];
    CHECK(law.samples == 48);
    const DevicePeaks peaks = peaksFor(OpClass::gemm, DType::bf16, gpu());
    for (const auto& [m, n, k] :
         {std::tuple{8192, 8192, 8192}, std::tuple{512, 512, 512}, std::tuple{3000, 5000, 700}}) {
        const Op op = gemmSample(gpu(), m, n, k, trueLaw(), 1.0).op;
        const double ratio = evaluate(law, op, peaks).total() / evaluate(trueLaw(), op, peaks).total();
        CHECK(ratio == Approx(1.0).epsilon(0.04));
    }
}

TEST_CASE("two samples move the level of a law but do not let its shape run away", "[calibrate]") {
    const std::vector<KernelSample> two{gemmSample(gpu(), 4096, 4096, 4096, trueLaw(), 1.0),
                                        gemmSample(gpu(), 4096, 4096, 8192, trueLaw(), 1.0)};
    const Calibration fitted = calibrate({two, {}, {}}, lookup(gpu()));
    const KernelLaw& law = fitted.devices[0].laws[0];
    CHECK(law.computeEfficiency > 0.5);
    CHECK(law.computeEfficiency < 1.0);
    CHECK(law.halfTile > 3.0);
    CHECK(law.halfTile < 60.0);
    ClusterSpec cluster;
    cluster.gpu = gpu();
    const CostModel model(cluster, fitted);
    const Op small = gemmSample(gpu(), 512, 512, 512, trueLaw(), 1.0).op;
    const Seconds truth = evaluate(trueLaw(), small, peaksFor(OpClass::gemm, DType::bf16, gpu())).total();
    CHECK(model.kernel(small).time / truth > 0.4);
    CHECK(model.kernel(small).time / truth < 2.5);
}

TEST_CASE("repeats of a shape become their median", "[calibrate]") {
    std::vector<KernelSample> samples;
    for (const double factor : {1.0, 1.1, 30.0})
        samples.push_back(gemmSample(gpu(), 4096, 4096, 4096, trueLaw(), factor));
    const Calibration fitted = calibrate({samples, {}, {}}, lookup(gpu()));
    REQUIRE(fitted.devices[0].table.size() == 1);
    CHECK(fitted.devices[0].table[0].repeats == 3);
    CHECK(fitted.devices[0].table[0].time == samples[1].time);
}

TEST_CASE("named CPU operators are predicted within 3 % at other token counts", "[calibrate]") {
    // A cache effect that no law has: time per token rises by 12 % between 256 and 2048 tokens.
    const GpuSpec cpu = gpu(2);
    const auto timeOf = [](std::int64_t tokens) {
        const double t = static_cast<double>(tokens);
        return Seconds(20e-6 + 1e-6 * t * (1.0 + 0.12 / (1.0 + std::exp(-4.0 * (std::log2(t) - 9.5)))));
    };
    KernelLaw named = defaultLaw(OpClass::gemm, Pass::forward, DType::fp32, cpu);
    named.opName = "qkv";
    std::vector<KernelSample> samples;
    for (const std::int64_t tokens : {128, 200, 256, 380, 512, 700, 1024, 1500, 2048}) {
        KernelSample sample = gemmSample(cpu, tokens, 1536, 512, named, 1.0);
        sample.time = timeOf(tokens);
        samples.push_back(sample);
    }
    ClusterSpec cluster;
    cluster.gpu = cpu;
    const CostModel model(cluster, calibrate({samples, {}, {}}, lookup(cpu)));
    for (const std::int64_t tokens : {160, 333, 600, 901, 1777}) {
        Op op = gemmSample(cpu, tokens, 1536, 512, named, 1.0).op;
        op.name = "qkv";
        CHECK(model.kernel(op).time / timeOf(tokens) == Approx(1.0).epsilon(0.03));
    }
}

TEST_CASE("a device that the catalog does not know is named, not guessed", "[calibrate]") {
    std::vector<KernelSample> samples = samplesOf(trueLaw(), 0.0, 0.0);
    samples[0].device = "NoSuchGPU";
    std::vector<std::string> unknown;
    const Calibration fitted = calibrate({samples, {}, {}}, lookup(gpu()), &unknown);
    CHECK(unknown == std::vector<std::string>{"NoSuchGPU"});
    CHECK(fitted.devices.size() == 1);
}

TEST_CASE("kriging carries a smooth residual to points between samples", "[calibrate]") {
    std::vector<ShapePoint> points;
    std::vector<double> residuals;
    for (float x = 0.0F; x <= 6.0F; x += 0.5F) {
        points.push_back({x, 0, 0, 0});
        residuals.push_back(0.3 * std::sin(static_cast<double>(x)));
    }
    const Kriging kriging = fitKriging(points, residuals, 0.2);
    REQUIRE(kriging.reach > 0.0);
    CHECK(kriging.leaveOneOut < 0.05);
    for (const float x : {0.7F, 2.2F, 3.8F, 5.1F}) {
        double value = 0.0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            value += kriging.weights[i] * neighbourWeight(distance({x, 0, 0, 0}, points[i]) / kriging.reach);
        }
        CHECK(value == Approx(0.3 * std::sin(static_cast<double>(x))).margin(0.03));
    }
}

TEST_CASE("kriging of pure noise is left out", "[calibrate]") {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0.0, 0.1);
    std::vector<ShapePoint> points;
    std::vector<double> residuals;
    double sum = 0.0;
    for (int i = 0; i < 60; ++i) {
        points.push_back({static_cast<float>(i % 8), static_cast<float>(i / 8), 0, 0});
        residuals.push_back(noise(random));
        sum += residuals.back() * residuals.back();
    }
    const double rms = std::sqrt(sum / 60.0);
    CHECK(fitKriging(points, residuals, rms).leaveOneOut > 0.9 * rms);
}

TEST_CASE("latency and bandwidth of a collective are found", "[calibrate]") {
    std::vector<CollectiveSample> samples;
    for (const int ranks : {2, 4, 8}) {
        for (double bytes = 1024; bytes < 2e9; bytes *= 4) {
            CollectiveSample s;
            s.device = "TestGPU";
            s.kind = OpClass::allGather;
            s.ranks = ranks;
            s.bytes = Bytes(bytes);
            s.time = Seconds(20e-6 + (ranks - 1) * 2e-6 + bytes * (ranks - 1) / ranks / 200e9);
            samples.push_back(s);
        }
    }
    const Calibration fitted = calibrate({{}, samples, {}}, lookup(gpu()));
    REQUIRE(fitted.collectives.size() == 1);
    CHECK(fitted.collectives[0].regimes.back().busBandwidth.value() == Approx(200e9).epsilon(0.05));
    ClusterSpec cluster;
    cluster.gpu = gpu();
    cluster.gpus = cluster.gpusPerNode = 8;
    cluster.links.push_back({"NVLink", 8, 300_GBps, 2_us, false});
    const CostModel model(cluster, fitted);
    for (const double bytes : {3000.0, 5e5, 7e7, 6e9}) {
        const double truth = 20e-6 + 3 * 2e-6 + bytes * 0.75 / 200e9;
        const Estimate e = model.collective(OpClass::allGather, Bytes(bytes), {"tp", 4, 1});
        CHECK(e.time.value() == Approx(truth).epsilon(0.05));
        CHECK(e.source == EstimateSource::fitted);
    }
}

TEST_CASE("host gaps are split into a part per task and a part per operator", "[calibrate]") {
    std::vector<HostGapSample> gaps;
    for (const int operators : {10, 20, 40}) {
        for (int repeat = 0; repeat < 3; ++repeat)
            gaps.push_back({"TestGPU", operators, Seconds(50e-6 + 2e-6 * operators)});
    }
    const Calibration fitted = calibrate({{}, {}, gaps}, lookup(gpu()));
    CHECK(fitted.devices[0].gapPerTask.value() == Approx(50e-6).epsilon(0.01));
    CHECK(fitted.devices[0].gapPerOperator.value() == Approx(2e-6).epsilon(0.01));
}

TEST_CASE("hold-out errors of samples that follow the law are as small as their noise", "[calibrate]") {
    const std::vector<HoldoutGroup> groups = holdout({samplesOf(trueLaw(), 0.02, 0.0), {}, {}}, lookup(gpu()), 1);
    REQUIRE(!groups.empty());
    for (const HoldoutGroup& group : groups) CHECK(group.mean < 0.06);
}
