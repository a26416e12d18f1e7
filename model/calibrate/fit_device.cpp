#include "model/calibrate/fit_device.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <tuple>

#include "model/calibrate/fit_kernel_law.hpp"
#include "model/calibrate/neighbour_correction.hpp"
#include "model/cost/kernel_neighbours.hpp"

namespace orrery {
namespace {

using Family = std::tuple<OpClass, Pass, DType, std::string>;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// One entry a shape, with the median of its times, in the order in which shapes first appear.
std::vector<KernelTableEntry> mergeRepeats(const std::vector<const KernelSample*>& samples) {
    std::map<std::uint64_t, std::size_t> indexOf;
    std::vector<KernelTableEntry> entries;
    std::vector<std::vector<double>> times;
    for (const KernelSample* sample : samples) {
        const auto [found, isNew] = indexOf.emplace(shapeHash(sample->op), entries.size());
        if (isNew) {
            KernelTableEntry entry{sample->op, sample->opName, {}, 0, 0.0};
            entry.op.name = {};
            entries.push_back(std::move(entry));
            times.emplace_back();
        }
        times[found->second].push_back(sample->time.value());
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].repeats = static_cast<int>(times[i].size());
        entries[i].time = Seconds(median(std::move(times[i])));
    }
    return entries;
}

/// gap = perTask + operators * perOperator by least squares, both kept from going negative.
void fitGaps(std::span<const HostGapSample> samples, DeviceCalibration& device) {
    std::map<int, std::vector<double>> byOperators;
    for (const HostGapSample& sample : samples) {
        if (sample.device == device.device) byOperators[sample.operators].push_back(sample.gap.value());
    }
    if (byOperators.empty()) return;
    Eigen::MatrixXd design(static_cast<Eigen::Index>(byOperators.size()), 2);
    Eigen::VectorXd gaps(design.rows());
    Eigen::Index row = 0;
    for (auto& [operators, values] : byOperators) {
        design.row(row) << 1.0, operators;
        gaps[row++] = median(std::move(values));
    }
    if (byOperators.size() == 1) {
        device.gapPerTask = Seconds(gaps[0]);
        return;
    }
    const Eigen::Vector2d fit = design.colPivHouseholderQr().solve(gaps);
    const double mean = gaps.mean();
    const double operators = design.col(1).mean();
    const bool physical = fit[0] >= 0.0 && fit[1] >= 0.0;
    device.gapPerOperator = Seconds(physical ? fit[1] : (fit[0] < 0.0 ? mean / operators : 0.0));
    device.gapPerTask = Seconds(physical ? fit[0] : (fit[0] < 0.0 ? 0.0 : mean));
}

/// Where only forward and backward together were timed, both passes follow from the known ratio of their efficiencies:
/// FlashAttention-2 reaches up to 73 % of A100's peak forward and 63 % backward (arXiv 2307.08691, section 4.1).
void splitCombinedAttention(DeviceCalibration& device) {
    constexpr double kBackwardOverForward = 63.0 / 73.0;
    constexpr double kBackwardWork = 2.5;  // FLOPs of the backward pass over those of the forward
    const auto isPlain = [](const KernelLaw& l) { return l.cls == OpClass::attention && l.opName.empty(); };
    if (std::any_of(device.laws.begin(), device.laws.end(), isPlain)) return;
    const auto combined = std::find_if(device.laws.begin(), device.laws.end(), [](const KernelLaw& l) {
        return l.cls == OpClass::attention && l.opName == "forward_and_backward";
    });
    if (combined == device.laws.end()) return;
    KernelLaw forward = *combined;
    forward.opName.clear();
    forward.reach = 0.0;
    forward.overhead = combined->overhead / 2.0;
    forward.computeEfficiency =
        combined->computeEfficiency * (1.0 + kBackwardWork / kBackwardOverForward) / (1.0 + kBackwardWork);
    KernelLaw backward = forward;
    backward.pass = Pass::backwardInput;
    backward.computeEfficiency = forward.computeEfficiency * kBackwardOverForward;
    device.laws.push_back(forward);
    device.laws.push_back(backward);
}

}  // namespace

DeviceCalibration fitDevice(std::span<const KernelSample> kernels, std::span<const HostGapSample> hostGaps,
                            const GpuSpec& gpu) {
    DeviceCalibration device;
    device.device = gpu.name;
    std::map<Family, std::vector<const KernelSample*>> families;
    for (const KernelSample& sample : kernels) {
        if (sample.device != gpu.name || sample.time.value() <= 0.0) continue;
        families[{sample.op.cls, sample.op.pass, sample.op.dtype, sample.opName}].push_back(&sample);
    }
    for (const auto& [family, samples] : families) {
        std::vector<KernelTableEntry> entries = mergeRepeats(samples);
        KernelLaw law = fitKernelLaw(entries, gpu);
        fitNeighbourCorrection(law, entries, gpu);
        device.laws.push_back(std::move(law));
        std::move(entries.begin(), entries.end(), std::back_inserter(device.table));
    }
    splitCombinedAttention(device);
    fitGaps(hostGaps, device);
    return device;
}

}  // namespace orrery
