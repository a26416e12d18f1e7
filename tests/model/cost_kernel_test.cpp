// Kernel times: which answer wins, how shapes bend the roofline, and laws that hold for every input.
#include <cmath>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/cost/cost_model.hpp"
#include "model/cost/gemm_tiling.hpp"
#include "model/cost/kernel_law.hpp"

using namespace orrery;

namespace {

GpuSpec gpu() {
    GpuSpec spec;
    spec.name = "TestGPU";
    spec.peaks[DType::bf16] = 300_TFLOPps;
    spec.vectorPeak = 20_TFLOPps;
    spec.memoryBandwidth = 2000_GBps;
    spec.memory = 80_GiB;
    spec.multiprocessors = 100;
    spec.launchOverhead = 3_us;
    return spec;
}

ClusterSpec cluster() {
    ClusterSpec spec;
    spec.gpu = gpu();
    spec.gpus = 8;
    spec.gpusPerNode = 8;
    spec.links.push_back({"NVLink", 8, 300_GBps, 2_us, false});
    return spec;
}

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
    Op op;
    op.cls = OpClass::gemm;
    op.m = m;
    op.n = n;
    op.k = k;
    const auto d = [](std::int64_t v) { return static_cast<double>(v); };
    op.flops = Flops(2.0 * d(m) * d(n) * d(k));
    op.bytes = Bytes(2.0 * (d(m) * d(k) + d(k) * d(n) + d(m) * d(n)));
    return op;
}

KernelLaw tiledLaw(double waveShare) {
    KernelLaw law = defaultLaw(OpClass::gemm, Pass::forward, DType::bf16, gpu());
    law.waveShare = waveShare;
    law.waveOverhead = 0_us;
    return law;
}

}  // namespace

TEST_CASE("without a calibration the data sheet answers, and says that nothing measured supports it", "[cost]") {
    const CostModel model(cluster(), {});
    const Estimate e = model.kernel(gemm(8192, 8192, 8192));
    CHECK(e.source == EstimateSource::dataSheet);
    CHECK(std::isinf(e.distance));
    const double efficiency = 2.0 * std::pow(8192.0, 3) / e.time.value() / 300e12;
    CHECK(efficiency > 0.6);
    CHECK(efficiency < 0.95);
}

TEST_CASE("an operator without work takes no time", "[cost]") {
    CHECK(CostModel(cluster(), {}).kernel(Op{}).time == Seconds{});
}

TEST_CASE("a measured shape wins over the fitted law, a near shape is pulled towards it", "[cost]") {
    DeviceCalibration device;
    device.device = "TestGPU";
    KernelLaw law = defaultLaw(OpClass::gemm, Pass::forward, DType::bf16, gpu());
    law.residual = 0.1;
    law.interpolationError = 0.03;
    law.reach = 3.0;
    device.laws.push_back(law);
    const Op measured = gemm(4096, 4096, 4096);
    const Seconds byLaw = evaluate(law, measured, peaksFor(OpClass::gemm, DType::bf16, gpu())).total();
    device.table.push_back({measured, "", byLaw * 1.2, 3, std::log(1.2)});
    Calibration calibration;
    calibration.devices.push_back(device);
    const CostModel model(cluster(), calibration);

    const Estimate exact = model.kernel(measured);
    CHECK(exact.source == EstimateSource::measured);
    CHECK(exact.time.value() == Approx(1.2 * byLaw.value()));
    CHECK(exact.distance == 0.0);

    const Op near = gemm(4096, 4096, 5120);
    const Seconds nearLaw = evaluate(law, near, peaksFor(OpClass::gemm, DType::bf16, gpu())).total();
    const Estimate corrected = model.kernel(near);
    CHECK(corrected.source == EstimateSource::fitted);
    CHECK(corrected.time / nearLaw > 1.1);
    CHECK(corrected.time / nearLaw < 1.2);
    CHECK(corrected.distance == Approx(std::log2(5120.0 / 4096.0)).epsilon(1e-3));

    const Estimate far = model.kernel(gemm(128, 128, 128));
    CHECK(far.time == evaluate(law, gemm(128, 128, 128), peaksFor(OpClass::gemm, DType::bf16, gpu())).total());
    CHECK(far.relativeSigma > corrected.relativeSigma);
}

TEST_CASE("another pass of a measured class uses its law, another class does not", "[cost]") {
    DeviceCalibration device;
    device.device = "TestGPU";
    device.laws.push_back(defaultLaw(OpClass::gemm, Pass::forward, DType::bf16, gpu()));
    Calibration calibration;
    calibration.devices.push_back(device);
    const CostModel model(cluster(), calibration);
    Op backward = gemm(4096, 4096, 4096);
    backward.pass = Pass::backwardWeight;
    CHECK(model.kernel(backward).source == EstimateSource::fitted);
    Op norm;
    norm.cls = OpClass::norm;
    norm.bytes = 1_GiB;
    CHECK(model.kernel(norm).source == EstimateSource::dataSheet);
}

TEST_CASE("one tile more than a full wave costs a whole wave when the tail shows", "[cost]") {
    // 100 multiprocessors: 10 x 10 tiles of 256 x 128 fill one wave; 11 x 10 need two.
    const DevicePeaks peaks = peaksFor(OpClass::gemm, DType::bf16, gpu());
    const Seconds full = tiledGemmTime(tiledLaw(1.0), gemm(2560, 1280, 8192), peaks);
    const Seconds over = tiledGemmTime(tiledLaw(1.0), gemm(2816, 1280, 8192), peaks);
    const Seconds smooth = tiledGemmTime(tiledLaw(0.0), gemm(2816, 1280, 8192), peaks);
    CHECK(over / full > 1.2);
    CHECK(smooth / full == Approx(1.1).epsilon(0.01));
}

TEST_CASE("a long k loop over few output tiles is split over idle multiprocessors", "[cost]") {
    const DevicePeaks peaks = peaksFor(OpClass::gemm, DType::bf16, gpu());
    const Seconds split = tiledGemmTime(tiledLaw(0.5), gemm(128, 128, 65536), peaks);
    const double oneTilePerProcessor = 2.0 * 64 * 64 * 65536 / (peaks.compute.value() * 0.9 / 100.0);
    CHECK(split.value() < 0.25 * oneTilePerProcessor);
}

TEST_CASE("more peak, more bandwidth or less overhead never makes a kernel slower", "[cost]") {
    rc::check([] {
        const auto m = *rc::gen::inRange<std::int64_t>(1, 20000);
        const auto n = *rc::gen::inRange<std::int64_t>(1, 20000);
        const auto k = *rc::gen::inRange<std::int64_t>(1, 20000);
        const double factor = 1.0 + *rc::gen::inRange(0, 1000) / 100.0;
        ClusterSpec faster = cluster();
        const Op op = gemm(m, n, k);
        const Seconds base = CostModel(cluster(), {}).kernel(op).time;
        faster.gpu.peaks[DType::bf16] = faster.gpu.peaks[DType::bf16] * factor;
        RC_ASSERT(CostModel(faster, {}).kernel(op).time <= base);
        faster.gpu.memoryBandwidth = faster.gpu.memoryBandwidth * factor;
        RC_ASSERT(CostModel(faster, {}).kernel(op).time <= base);
        faster.gpu.launchOverhead = faster.gpu.launchOverhead / factor;
        RC_ASSERT(CostModel(faster, {}).kernel(op).time <= base);
    });
}

TEST_CASE("attention costs by pairs: two short documents are cheaper than one long", "[cost]") {
    const auto attention = [](double pairs) {
        Op op;
        op.cls = OpClass::attention;
        op.tokens = 8192;
        op.heads = op.kvHeads = 32;
        op.headDim = op.valueHeadDim = 128;
        op.pairs = pairs;
        op.flops = Flops(4.0 * pairs * 32 * 128);
        op.bytes = Bytes(8192.0 * 32 * 128 * 2 * 4);
        return op;
    };
    const CostModel model(cluster(), {});
    const double whole = 8192.0 * 8193 / 2, halves = 2 * 4096.0 * 4097 / 2;
    const double ratio = model.kernel(attention(whole)).time / model.kernel(attention(halves)).time;
    CHECK(ratio > 1.6);
    CHECK(ratio < 2.0);
}
