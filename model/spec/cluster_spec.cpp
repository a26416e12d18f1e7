#include "model/spec/cluster_spec.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Formats that can do the work of `dtype`, nearest first: itself, then wider ones.
std::array<DType, 4> widening(DType dtype) {
    switch (dtype) {
        case DType::fp4:
            return {DType::fp4, DType::fp8, DType::bf16, DType::fp16};
        case DType::fp8:
            return {DType::fp8, DType::bf16, DType::fp16, DType::fp32};
        case DType::bf16:
            return {DType::bf16, DType::fp16, DType::tf32, DType::fp32};
        case DType::fp16:
            return {DType::fp16, DType::bf16, DType::tf32, DType::fp32};
        case DType::tf32:
            return {DType::tf32, DType::fp32, DType::fp32, DType::fp32};
        case DType::fp32:
            break;
    }
    return {DType::fp32, DType::fp32, DType::fp32, DType::fp32};
}

[[noreturn]] void fail(const ClusterSpec& cluster, const std::string& what) {
    throw InputError(fmt::format("cluster '{}': {}", cluster.name, what));
}

}  // namespace

FlopsPerSecond GpuSpec::peak(DType dtype) const {
    for (const DType candidate : widening(dtype)) {
        const auto found = peaks.find(candidate);
        if (found != peaks.end()) return found->second;
    }
    throw InputError(fmt::format("GPU '{}' states no peak for {} or a wider format; add one to its catalog entry", name,
                                 orrery::name(dtype)));
}

const LinkLevel& ClusterSpec::levelFor(int span) const {
    if (links.empty()) throw InputError(fmt::format("cluster '{}': it has no links; add a link level", name));
    for (const LinkLevel& level : links) {
        if (level.size >= span) return level;
    }
    return links.back();
}

double ClusterSpec::speedOf(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return rank >= 0 && index < deviceSpeed.size() ? deviceSpeed[index] : 1.0;
}

void validate(const ClusterSpec& cluster) {
    if (cluster.gpus <= 0) fail(cluster, fmt::format("gpus is {}; give a positive number", cluster.gpus));
    if (cluster.gpusPerNode <= 0)
        fail(cluster, fmt::format("gpus per node is {}; give a positive number", cluster.gpusPerNode));
    if (cluster.gpu.memoryBandwidth.value() <= 0.0) fail(cluster, "the GPU's memory bandwidth is not positive");
    if (cluster.gpu.memory.value() <= 0.0) fail(cluster, "the GPU's memory is not positive");
    for (const auto& [dtype, peak] : cluster.gpu.peaks) {
        if (!(peak.value() > 0.0)) fail(cluster, fmt::format("the GPU's {} peak is not positive", name(dtype)));
    }
    int inside = 1;
    for (const LinkLevel& level : cluster.links) {
        if (level.size < inside) {
            fail(cluster,
                 fmt::format("link '{}' joins {} devices, fewer than the {} of the level inside it; list levels "
                             "from the inside out",
                             level.name, level.size, inside));
        }
        if (!(level.bandwidth.value() > 0.0))
            fail(cluster, fmt::format("link '{}': bandwidth is not positive", level.name));
        if (level.latency.value() < 0.0) fail(cluster, fmt::format("link '{}': latency is negative", level.name));
        inside = level.size;
    }
    if (cluster.gpus > 1 && inside < cluster.gpus) {
        fail(cluster,
             fmt::format("its links join {} of {} devices; make the last level join all", inside, cluster.gpus));
    }
    if (!cluster.deviceSpeed.empty() && cluster.deviceSpeed.size() != static_cast<std::size_t>(cluster.gpus)) {
        fail(cluster, fmt::format("{} device speeds for {} devices", cluster.deviceSpeed.size(), cluster.gpus));
    }
    for (const double speed : cluster.deviceSpeed) {
        if (!(speed > 0.0)) fail(cluster, "a device speed is not positive");
    }
}

}  // namespace orrery
