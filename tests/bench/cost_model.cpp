// Time of one kernel estimate: measured shape, fitted law with neighbours, data sheet. A search asks millions of these.
#include "model/cost/cost_model.hpp"

#include <cmath>

#include <benchmark/benchmark.h>

#include "model/calibrate/calibrate.hpp"

namespace {

using namespace orrery;

GpuSpec gpu() {
    GpuSpec spec;
    spec.name = "TestGPU";
    spec.peaks[DType::bf16] = 1000_TFLOPps;
    spec.vectorPeak = 60_TFLOPps;
    spec.memoryBandwidth = 3350_GBps;
    spec.multiprocessors = 132;
    spec.launchOverhead = 3_us;
    return spec;
}

Op gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
    Op op;
    op.cls = OpClass::gemm;
    op.name = "qkv";
    op.m = m;
    op.n = n;
    op.k = k;
    const auto d = [](std::int64_t v) { return static_cast<double>(v); };
    op.flops = Flops(2.0 * d(m) * d(n) * d(k));
    op.bytes = Bytes(2.0 * (d(m) * d(k) + d(k) * d(n) + d(m) * d(n)));
    return op;
}

/// 343 measured shapes, as many as a published table has for one device and format.
CostModel calibrated() {
    Samples samples;
    for (std::int64_t m = 256; m <= 16384; m *= 2) {
        for (std::int64_t n = 256; n <= 16384; n *= 2) {
            for (std::int64_t k = 256; k <= 16384; k *= 2) {
                KernelSample s;
                s.device = "TestGPU";
                s.op = gemm(m, n, k);
                s.op.name = {};
                s.time = Seconds(5e-6 +
                                 s.op.flops.value() / 7e14 * (1.0 + 0.1 * std::sin(std::log2(double(m)) + double(k))));
                samples.kernels.push_back(s);
            }
        }
    }
    ClusterSpec cluster;
    cluster.gpu = gpu();
    return {cluster, calibrate(samples, [](std::string_view) { return gpu(); })};
}

void measuredShape(benchmark::State& state) {
    const CostModel model = calibrated();
    const Op op = gemm(4096, 4096, 4096);
    for (auto _ : state) benchmark::DoNotOptimize(model.kernel(op));
}
void fittedShape(benchmark::State& state) {
    const CostModel model = calibrated();
    const Op op = gemm(5000, 4096, 4096);
    for (auto _ : state) benchmark::DoNotOptimize(model.kernel(op));
}
void dataSheetShape(benchmark::State& state) {
    ClusterSpec cluster;
    cluster.gpu = gpu();
    const CostModel model(cluster, {});
    const Op op = gemm(5000, 4096, 4096);
    for (auto _ : state) benchmark::DoNotOptimize(model.kernel(op));
}

BENCHMARK(measuredShape);
BENCHMARK(fittedShape);
BENCHMARK(dataSheetShape);

}  // namespace

BENCHMARK_MAIN();
