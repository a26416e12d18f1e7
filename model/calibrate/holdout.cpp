#include "model/calibrate/holdout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "model/cost/collective_costs.hpp"
#include "model/cost/kernel_costs.hpp"

namespace orrery {
namespace {

struct Error {
    double relative = 0.0, logarithm = 0.0, sigma = 0.0, distance = 0.0;
};
using GroupKey = std::tuple<std::string, std::string, std::string>;
using Errors = std::map<GroupKey, std::vector<Error>>;

bool inFittedHalf(std::uint64_t shape, std::uint64_t seed) {
    return (mix(shape, seed) & 1U) == 0;
}

std::uint64_t collectiveHash(const CollectiveSample& s) {
    const auto u = [](auto v) { return static_cast<std::uint64_t>(v); };
    return mix(mix(u(s.kind) << 32 ^ u(s.ranks) << 8 ^ u(s.nodes), u(s.bytes.value())), nameHash(s.device));
}

std::uint64_t kernelHash(const KernelSample& s) {
    return mix(mix(shapeHash(s.op), nameHash(s.opName)), nameHash(s.device));
}

std::string sizeClass(const Op& op) {
    if (op.cls == OpClass::gemm || op.cls == OpClass::groupedGemm) {
        const std::int64_t smallest = std::min({op.m, op.n, op.k});
        return op.cls == OpClass::groupedGemm ? "all" : smallest > 256 ? "m,n,k > 256" : "m, n or k <= 256";
    }
    return "all";
}

Error errorOf(const Estimate& estimate, Seconds measured) {
    const double ratio = estimate.time / measured;
    return {ratio - 1.0, std::log(ratio), estimate.relativeSigma, estimate.distance};
}

HoldoutGroup summarise(const GroupKey& key, const std::vector<Error>& errors) {
    HoldoutGroup group;
    std::tie(group.device, group.family, group.sizeClass) = key;
    group.samples = static_cast<int>(errors.size());
    std::vector<double> magnitudes;
    double finite = 0.0;
    for (const Error& e : errors) {
        magnitudes.push_back(std::abs(e.relative));
        group.bias += e.relative;
        group.withinOneSigma += std::abs(e.logarithm) <= e.sigma ? 1.0 : 0.0;
        if (std::isfinite(e.distance)) {
            group.meanDistance += e.distance;
            finite += 1.0;
        }
    }
    std::sort(magnitudes.begin(), magnitudes.end());
    const auto n = static_cast<double>(magnitudes.size());
    group.mean = std::accumulate(magnitudes.begin(), magnitudes.end(), 0.0) / n;
    group.median = magnitudes[magnitudes.size() / 2];
    group.p95 = magnitudes[static_cast<std::size_t>(0.95 * (n - 1.0) + 0.5)];
    group.max = magnitudes.back();
    group.bias /= n;
    group.withinOneSigma /= n;
    group.meanDistance /= std::max(1.0, finite);
    return group;
}

/// A cluster that a collective sample could have run on: one node level, and one above it when there are more nodes.
ClusterSpec clusterOf(const CollectiveSample& sample) {
    ClusterSpec cluster;
    cluster.gpu.name = sample.device;
    cluster.gpus = sample.ranks;
    cluster.gpusPerNode = std::max(1, sample.ranks / std::max(1, sample.nodes));
    cluster.links.push_back({sample.link, cluster.gpusPerNode, 300_GBps, 2_us, false});
    if (sample.nodes > 1) cluster.links.push_back({sample.link, sample.ranks, 25_GBps, 5_us, false});
    return cluster;
}

}  // namespace

std::vector<HoldoutGroup> holdout(const Samples& samples, const GpuLookup& lookup, std::uint64_t seed) {
    Samples half;
    for (const KernelSample& s : samples.kernels) {
        if (inFittedHalf(kernelHash(s), seed)) half.kernels.push_back(s);
    }
    for (const CollectiveSample& s : samples.collectives) {
        if (inFittedHalf(collectiveHash(s), seed)) half.collectives.push_back(s);
    }
    const Calibration fitted = calibrate(half, lookup);

    Errors errors;
    for (const DeviceCalibration& device : fitted.devices) {
        const KernelCosts costs(*lookup(device.device), {&device});
        for (const KernelSample& s : samples.kernels) {
            if (s.device != device.device || inFittedHalf(kernelHash(s), seed)) continue;
            Op op = s.op;
            op.name = s.opName;
            const std::string family =
                fmt::format("{} {} {} {}", name(op.cls), name(op.pass), name(op.dtype), s.opName);
            errors[{s.device, family, sizeClass(op)}].push_back(errorOf(costs.estimate(op), s.time));
        }
    }
    for (const CollectiveSample& s : samples.collectives) {
        if (s.ranks < 2 || inFittedHalf(collectiveHash(s), seed)) continue;
        const CollectiveCosts costs(clusterOf(s), fitted);
        const Estimate estimate = costs.estimate(s.kind, s.bytes, Group{"", s.ranks, 1});
        errors[{s.device, fmt::format("{} {}", name(s.kind), s.link),
                s.bytes > 64_KiB ? "over 64 KiB" : "up to 64 KiB"}]
            .push_back(errorOf(estimate, s.time));
    }
    std::vector<HoldoutGroup> groups;
    for (const auto& [key, list] : errors) groups.push_back(summarise(key, list));
    return groups;
}

}  // namespace orrery
