// What a framework adds to a step: each figure has its place, and an ideal runtime adds nothing.
#include <catch2/catch.hpp>

#include "specs.hpp"

using namespace orrery;

namespace {

Scenario sharded() {
    ParallelPlan plan = specs::plan(2, 1, 16);
    plan.sequenceParallel = true;
    plan.sharding = Sharding::zero3;
    plan.overlapGradReduce = true;
    plan.overlapParamGather = true;
    return specs::scenario(specs::llama8B(), plan, 4096, 64, 1);
}

double stepWith(const RuntimeSpec& runtime) {
    Scenario scenario = sharded();
    scenario.runtime = runtime;
    return predict(scenario).metrics.step.value();
}

}  // namespace

TEST_CASE("each figure of a runtime makes a step no faster, and the ideal one adds nothing", "[predict]") {
    const double ideal = stepWith({});
    RuntimeSpec runtime;
    const auto slower = [&](auto change) {
        RuntimeSpec changed;
        change(changed);
        return stepWith(changed) > ideal;
    };
    CHECK(slower([](RuntimeSpec& r) { r.kernelGap = 2_us; }));
    CHECK(slower([](RuntimeSpec& r) { r.hostPerOperator = Seconds(5e-3); }));
    CHECK(slower([](RuntimeSpec& r) { r.elementwiseTraffic = 2.0; }));
    CHECK(slower([](RuntimeSpec& r) { r.gemmSpeed = 0.9; }));
    CHECK(slower([](RuntimeSpec& r) { r.attentionSpeed = 0.9; }));
    CHECK(slower([](RuntimeSpec& r) { r.collectiveLatency = 20_us; }));
    CHECK(slower([](RuntimeSpec& r) { r.linkShare = 0.7; }));
    CHECK(slower([](RuntimeSpec& r) { r.overlapSlowdown = 0.3; }));
    runtime.expertSync = 100_us;
    CHECK(stepWith(runtime) == ideal);  // no experts here
    runtime.networkShare = 200.0;
    CHECK_THROWS_WITH(stepWith(runtime), Catch::Contains("network_share is 200"));
}

TEST_CASE("the host holds a task up only where the device would be done sooner", "[predict]") {
    RuntimeSpec quick, slow;
    quick.hostPerOperator = Seconds(1e-9);
    CHECK(stepWith(quick) == stepWith({}));
    slow.hostPerOperator = Seconds(1e-2);
    Scenario scenario = sharded();
    scenario.runtime = slow;
    const Prediction prediction = predict(scenario);
    CHECK(prediction.breakdown.at("host") > 0.5 * prediction.metrics.step);
}

TEST_CASE("memory of the framework is the fixed part and the allocator's share", "[predict][memory]") {
    Scenario scenario = sharded();
    const MemoryUse before = predict(scenario).stages.front().memory;
    scenario.runtime.fixedMemory = 2_GiB;
    scenario.runtime.allocatorShare = 0.1;
    const MemoryUse after = predict(scenario).stages.front().memory;
    CHECK(after.framework.value() == Approx((2_GiB).value() + 0.1 * before.activations.value()));
    CHECK(after.total().value() - before.total().value() == Approx(after.framework.value()));
}

TEST_CASE("placeholders of weight gradients take each shape of matrix once", "[predict][memory]") {
    Scenario scenario = sharded();
    const Bytes before = predict(scenario).stages.front().memory.buffers;
    scenario.runtime.weightGradientPlaceholders = true;
    const Bytes after = predict(scenario).stages.front().memory.buffers;
    // Llama 3 8B over 2 tensor-parallel ranks: qkv, attention_out, mlp_gate_up, mlp_down, output; 2 bytes each element.
    const double elements = 4096.0 * (6144 + 4096 + 3 * 14336 + 128256) / 2;
    CHECK((after - before).value() == Approx(2.0 * elements));
}

TEST_CASE("sustained rates of a GPU slow the matrix kernels of their format", "[cost]") {
    Scenario scenario = sharded();
    KernelLaw law;
    law.cls = OpClass::gemm;
    law.dtype = DType::bf16;
    DeviceCalibration device;
    device.device = scenario.cluster.gpu.name;
    device.laws = {law};
    scenario.calibration.devices = {device};
    const double before = predict(scenario).breakdown.at("gemm").value();
    scenario.cluster.gpu.sustained[DType::bf16] = 0.8;
    CHECK(predict(scenario).breakdown.at("gemm").value() > 1.2 * before);
}
