#include "profiler/bench/gpu_sweep.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "profiler/bench/cuda_library.hpp"

namespace orrery::bench {
namespace {

constexpr int kBf16 = 14;         // CUDA_R_16BF
constexpr int kComputeFp32 = 68;  // CUBLAS_COMPUTE_32F
constexpr int kTranspose = 1, kPlain = 0, kAnyAlgorithm = -1;
constexpr double kMeasured = 2000.0;  ///< us that the launches between two events last at least

void check(int result, const char* what) {
    if (result != 0)
        throw InputError(fmt::format("{} failed with code {}; see nvidia-smi for the GPU's state", what, result));
}

/// The first GPU with memory to work on and events to time by.
class Gpu {
  public:
    Gpu() : driver_(openDriver()) {
        check(driver_.init(0), "cuInit");
        int device = 0;
        check(driver_.deviceGet(&device, 0), "cuDeviceGet");
        std::array<char, 256> text{};
        check(driver_.deviceGetName(text.data(), static_cast<int>(text.size()) - 1, device), "cuDeviceGetName");
        name = text.data();
        void* context = nullptr;
        check(driver_.retainContext(&context, device), "cuDevicePrimaryCtxRetain");
        check(driver_.setContext(context), "cuCtxSetCurrent");
        check(driver_.eventCreate(&begin_, 0), "cuEventCreate");
        check(driver_.eventCreate(&end_, 0), "cuEventCreate");
    }

    /// Filled with a small finite bf16 number: products of zeros use less power than real ones.
    std::uint64_t allocate(std::size_t bytes) {
        std::uint64_t memory = 0;
        check(driver_.allocate(&memory, bytes), "cuMemAlloc");
        check(driver_.fill(memory, 0x3C, bytes), "cuMemsetD8");
        return memory;
    }
    void release(std::uint64_t memory) { driver_.release(memory); }
    void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
        check(driver_.copy(to, from, bytes, nullptr), "cuMemcpyDtoDAsync");
    }

    /// Microseconds of one launch: the median over `repeats` of means between two events.
    double time(const std::function<void()>& launch, int repeats) {
        int launches = 1;
        while (true) {  // warms up, and finds how many launches are long against the events' resolution
            if (const double total = elapsed(launch, launches); total >= kMeasured || launches >= 4096) break;
            launches *= 2;
        }
        std::vector<double> means;
        for (int i = 0; i < repeats; ++i) means.push_back(elapsed(launch, launches) / launches);
        std::nth_element(means.begin(), means.begin() + repeats / 2, means.end());
        return means[static_cast<std::size_t>(repeats / 2)];
    }

    std::string name;

  private:
    double elapsed(const std::function<void()>& launch, int launches) {
        check(driver_.eventRecord(begin_, nullptr), "cuEventRecord");
        for (int i = 0; i < launches; ++i) launch();
        check(driver_.eventRecord(end_, nullptr), "cuEventRecord");
        check(driver_.eventSynchronize(end_), "cuEventSynchronize");
        float milliseconds = 0.0F;
        check(driver_.eventElapsed(&milliseconds, begin_, end_), "cuEventElapsedTime");
        return static_cast<double>(milliseconds) * 1e3;
    }

    Driver driver_;
    void *begin_ = nullptr, *end_ = nullptr;
};

void sweepProducts(Gpu& gpu, SweepSize size, int repeats, std::ostream& out) {
    const Blas blas = openBlas();
    void* handle = nullptr;
    check(blas.create(&handle), "cublasCreate");
    int version = 0;
    blas.version(handle, &version);
    const std::vector<int> tokens =
        size.quick ? std::vector<int>{512} : std::vector<int>{128, 512, 1024, 2048, 4096, 8192, 16384};
    const std::vector<std::pair<int, int>> weights =  // of 1B to 70B models, sharded 1 to 8 ways
        size.quick
            ? std::vector<std::pair<int, int>>{{1024, 1024}}
            : std::vector<std::pair<int, int>>{{1024, 1024}, {2048, 2048},  {4096, 4096},  {6144, 4096}, {8192, 8192},
                                               {1280, 8192}, {28672, 4096}, {4096, 14336}, {8192, 1024}, {3584, 8192}};
    for (const int m : tokens) {
        for (const auto& [n, k] : weights) {
            const auto bytes = [](int rows, int columns) {
                return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * 2;
            };
            const std::uint64_t x = gpu.allocate(bytes(m, k)), w = gpu.allocate(bytes(n, k)),
                                y = gpu.allocate(bytes(m, n));
            const float one = 1.0F, zero = 0.0F;
            const double us = gpu.time(
                [&] {  // y[m,n] = x[m,k] w[n,k]^T by rows is, by columns, y^T = w x^T
                    check(blas.gemm(handle, kTranspose, kPlain, n, m, k, &one, reinterpret_cast<const void*>(w), kBf16,
                                    k, reinterpret_cast<const void*>(x), kBf16, k, &zero, reinterpret_cast<void*>(y),
                                    kBf16, n, kComputeFp32, kAnyAlgorithm),
                          "cublasGemmEx");
                },
                repeats);
            out << fmt::format(
                "gemm,{},1,1,,{},{},{},1,,,,,,,,bf16,bf16,TN,,,,{:.3f},{:.2f},cuBLAS {},orrery-agent bench,,\n",
                gpu.name, m, n, k, us, 2.0 * m * n * k / us * 1e-6, version);
            for (const std::uint64_t memory : {x, w, y}) gpu.release(memory);
        }
    }
}

void sweepCopies(Gpu& gpu, SweepSize size, int repeats, std::ostream& out) {
    const std::size_t largest = std::size_t{1} << (size.quick ? 24U : 30U);
    const std::uint64_t from = gpu.allocate(largest), to = gpu.allocate(largest);
    for (std::size_t bytes = std::size_t{1} << 16U; bytes <= largest; bytes *= 4) {
        const double us = gpu.time([&] { gpu.copy(to, from, bytes); }, repeats);
        out << fmt::format(
            "pointwise,{},1,1,,,,,,,,,,,,,bf16,,,{},{:.1f},,{:.3f},,copy within the device,orrery-agent bench,,\n",
            gpu.name, 2 * bytes, 2.0 * static_cast<double>(bytes) / us * 1e-3, us);
    }
    gpu.release(from);
    gpu.release(to);
}

}  // namespace

void sweepGpu(SweepSize size, int repeats, const std::filesystem::path& table) {
    Gpu gpu;
    const std::filesystem::path beside = table.string() + ".partial";
    std::ofstream out(beside);
    out << "kind,gpu,gpus,nodes,link,m,n,k,groups,batch,heads,kv_heads,seq,head_dim,v_head_dim,causal,dtype,out_dtype,"
           "layout,"
           "bytes,algbw_GBps,busbw_GBps,time_us,tflops,impl,source,source_locator,notes\n";
    sweepProducts(gpu, size, repeats, out);
    sweepCopies(gpu, size, repeats, out);
    out.close();
    if (!out) throw InputError(fmt::format("{}: cannot be written; name another folder with -o", table.string()));
    std::filesystem::rename(beside, table);
}

}  // namespace orrery::bench
