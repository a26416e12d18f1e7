#include "data/catalog/framework_table.hpp"

namespace orrery {

void readRuntimeFields(StrictTable& table, RuntimeSpec& runtime) {
    const auto number = [&](std::string_view key, double high) { return table.number(key, 0.0, high); };
    const auto micros = [&](std::string_view key, Seconds& out) {
        if (const auto value = number(key, 1e4)) out = Seconds(*value * 1e-6);
    };
    const auto factor = [&](std::string_view key, double high, double& out) {
        if (const auto value = number(key, high)) out = *value;
    };
    micros("kernel_gap_us", runtime.kernelGap);
    micros("host_per_operator_us", runtime.hostPerOperator);
    factor("elementwise_traffic", 100.0, runtime.elementwiseTraffic);
    factor("gemm_speed", 100.0, runtime.gemmSpeed);
    factor("attention_speed", 100.0, runtime.attentionSpeed);
    factor("overlap_slowdown", 10.0, runtime.overlapSlowdown);
    micros("collective_latency_us", runtime.collectiveLatency);
    micros("expert_sync_us", runtime.expertSync);
    factor("link_share", 1.5, runtime.linkShare);
    factor("network_share", 1.5, runtime.networkShare);
    if (const auto value = number("fixed_memory_gib", 1e3)) runtime.fixedMemory = *value * 1_GiB;
    if (const auto value = table.boolean("weight_gradient_placeholders")) runtime.weightGradientPlaceholders = *value;
    factor("allocator_share", 10.0, runtime.allocatorShare);
}

}  // namespace orrery
