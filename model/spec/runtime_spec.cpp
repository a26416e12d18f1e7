#include "model/spec/runtime_spec.hpp"

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

void require(const RuntimeSpec& runtime, const char* field, double value, double low, double high) {
    if (value >= low && value <= high) return;
    throw InputError(fmt::format("framework '{}': {} is {}; give {} to {}", runtime.name, field, value, low, high));
}

}  // namespace

void validate(const RuntimeSpec& runtime) {
    constexpr double kLongestGap = 1e-2;  // s
    require(runtime, "kernel_gap (s)", runtime.kernelGap.value(), 0.0, kLongestGap);
    require(runtime, "host_per_operator (s)", runtime.hostPerOperator.value(), 0.0, kLongestGap);
    require(runtime, "elementwise_traffic", runtime.elementwiseTraffic, 0.1, 100.0);
    require(runtime, "gemm_speed", runtime.gemmSpeed, 0.01, 100.0);
    require(runtime, "attention_speed", runtime.attentionSpeed, 0.01, 100.0);
    require(runtime, "overlap_slowdown", runtime.overlapSlowdown, 0.0, 10.0);
    require(runtime, "collective_latency (s)", runtime.collectiveLatency.value(), 0.0, kLongestGap);
    require(runtime, "expert_sync (s)", runtime.expertSync.value(), 0.0, kLongestGap);
    require(runtime, "link_share", runtime.linkShare, 0.01, 100.0);
    require(runtime, "network_share", runtime.networkShare, 0.01, 100.0);
    require(runtime, "fixed_memory (bytes)", runtime.fixedMemory.value(), 0.0, 1e13);
    require(runtime, "allocator_share", runtime.allocatorShare, 0.0, 10.0);
}

}  // namespace orrery
