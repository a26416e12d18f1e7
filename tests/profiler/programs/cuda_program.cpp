// A program as one that uses CUDA looks to the recording: plays the driver (loads CUDA_INJECTION64_PATH at "cuInit")
// and makes the stand-in libcupti (tests/profiler/fake_cupti) record. One scenario per first argument.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/cupti/abi.hpp"
#include "profiler/nvtx/annotate.hpp"
#include "tests/profiler/fake_cupti/fake_cupti.hpp"

namespace {

using namespace orrery::test;
using orrery::cupti::Kind;

struct Gpu {
    FakeEmit emit = nullptr;
    FakeHold hold = nullptr;
    FakeFreeNames freeNames = nullptr;
    FakeShiftClock shiftClock = nullptr;
    FakeNow now = nullptr;
    FakeDeliverForeign deliverForeign = nullptr;
};

/// What the driver does in a program's first CUDA call, and then a handle on the stand-in that came with it.
Gpu initialize() {
    if (const char* path = std::getenv("CUDA_INJECTION64_PATH"); path != nullptr) {
        void* library = dlopen(path, RTLD_NOW);
        auto* start = library != nullptr ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
        if (start == nullptr || start() != 1) std::exit(3);
    }
    Gpu gpu;
    void* fake = dlopen(std::getenv("FAKE_CUPTI"), RTLD_NOW);
    if (fake == nullptr) std::exit(4);
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(fake, name));
        if (function == nullptr) std::exit(5);
    };
    find(gpu.emit, "fakeCuptiEmit");
    find(gpu.hold, "fakeCuptiHold");
    find(gpu.freeNames, "fakeCuptiFreeNames");
    find(gpu.shiftClock, "fakeCuptiShiftClock");
    find(gpu.now, "fakeCuptiNow");
    find(gpu.deliverForeign, "fakeCuptiDeliverForeign");
    return gpu;
}

void pause(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

FakeRecord record(Kind kind, std::uint64_t start, std::uint64_t duration, std::uint32_t correlation) {
    FakeRecord r;
    r.kind = static_cast<std::uint32_t>(kind);
    r.start = start;
    r.end = start + duration;
    r.correlation = correlation;
    return r;
}

FakeRecord kernel(std::uint64_t start, std::uint64_t duration, std::uint32_t correlation, const char* name) {
    FakeRecord r = record(Kind::concurrentKernel, start, duration, correlation);
    r.name = name;
    return r;
}

/// `count` kernels of 1 us, 2 us apart, ending now.
void kernels(const Gpu& gpu, int count, const char* name = "gemm_kernel") {
    const std::uint64_t begin = gpu.now() - static_cast<std::uint64_t>(count) * 2000;
    for (int i = 0; i < count; ++i) {
        const FakeRecord r =
            kernel(begin + static_cast<std::uint64_t>(i) * 2000, 1000, static_cast<std::uint32_t>(i + 1), name);
        gpu.emit(&r);
    }
}

/// One record of every kind, twice that of a kernel: of a stream and of a graph.
int everyKind(const Gpu& gpu) {
    const std::uint64_t t = gpu.now() - 1'000'000;
    FakeRecord r = record(Kind::device, 0, 0, 0);
    r.name = "Stand-in H200";
    r.bytes = 150'000'000'000;
    r.number = 132;
    gpu.emit(&r);
    r = kernel(t, 5000, 11, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
    gpu.emit(&r);
    r = kernel(t + 6000, 1500, 12, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n");
    r.graphNode = 77;
    r.device = 3;
    gpu.emit(&r);
    r = record(Kind::memcpy, t + 10'000, 2000, 13);
    r.number = 1;
    r.bytes = 4096;
    gpu.emit(&r);
    r = record(Kind::memcpyPeer, t + 20'000, 3000, 14);
    r.number = 10;
    r.bytes = 8192;
    gpu.emit(&r);
    r = record(Kind::memset, t + 30'000, 500, 15);
    r.bytes = 64;
    gpu.emit(&r);
    r = record(Kind::runtime, t - 9000, 4000, 11);
    r.number = 211;
    r.stream = 4242;
    gpu.emit(&r);
    r = record(Kind::driver, t - 8000, 2000, 11);
    r.number = 307;
    r.stream = 4242;
    gpu.emit(&r);
    r.number = 17;  // not one that was asked for
    if (gpu.emit(&r) != -1) return 6;
    r = record(Kind::synchronization, t + 40'000, 7000, 16);
    r.number = 3;
    gpu.emit(&r);
    r = record(Kind::cudaEvent, t + 50'000, 0, 17);
    r.number = 9;
    gpu.emit(&r);
    r = record(Kind::overhead, t + 60'000, 800, 0);
    r.number = 1U << 16U;
    gpu.emit(&r);
    r = record(Kind::externalCorrelation, 0, 0, 11);
    r.number = 3;
    r.externalId = 555;
    gpu.emit(&r);
    return 0;
}

/// Kernels far apart on two clocks: half before the clock is changed, half after.
int clockChange(const Gpu& gpu) {
    for (int i = 0; i < 6; ++i) {
        kernels(gpu, 10, "before");
        pause(60);
    }
    pause(150);
    gpu.shiftClock(0, 2.5);  // as a time-stamp counter of 2.5 GHz
    for (int i = 0; i < 6; ++i) {
        pause(60);
        kernels(gpu, 10, "after");
    }
    return 0;
}

int run(const std::string& mode, int count) {
    if (mode == "cpu") return 0;
    const Gpu gpu = initialize();
    if (mode == "kernels") {
        kernels(gpu, count);
    } else if (mode == "every-kind") {
        return everyKind(gpu);
    } else if (mode == "threads") {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back([&] { kernels(gpu, count); });
        for (auto& thread : threads) thread.join();
    } else if (mode == "names") {
        for (int i = 0; i < count; ++i) {
            const std::string name = "kernel_" + std::to_string(i);
            kernels(gpu, 1, name.c_str());
        }
        pause(250);  // buffers were handed out by now
        gpu.freeNames();
    } else if (mode == "zero-times") {
        kernels(gpu, count);
        FakeRecord r = kernel(0, 0, 1, "no times");
        gpu.emit(&r);
        r.start = gpu.now();
        r.end = 0;
        gpu.emit(&r);
        r.end = r.start - 1;
        gpu.emit(&r);
    } else if (mode == "out-of-window") {
        kernels(gpu, count);
        for (const std::int64_t offset : {-3'600'000'000'000LL, 3'600'000'000'000LL}) {
            const FakeRecord r =
                kernel(static_cast<std::uint64_t>(static_cast<std::int64_t>(gpu.now()) + offset), 1000, 1, "elsewhen");
            gpu.emit(&r);
        }
    } else if (mode == "unordered") {
        const std::uint64_t t = gpu.now();
        for (int i = 0; i < count; ++i) {
            const FakeRecord r = kernel(t - static_cast<std::uint64_t>(i) * 5000, 1000,
                                        static_cast<std::uint32_t>(count - i), "backwards");
            gpu.emit(&r);
        }
    } else if (mode == "unknown-kind") {
        kernels(gpu, count);
        FakeRecord r;
        r.kind = 8;
        gpu.emit(&r);
    } else if (mode == "held") {  // kernels whose buffers are not complete until the end
        gpu.hold(1);
        kernels(gpu, count);
    } else if (mode == "foreign") {
        kernels(gpu, count);
        gpu.deliverForeign();
    } else if (mode == "clock") {
        gpu.shiftClock(0, 1.0 + 200e-6);  // 200 ppm fast
        for (int i = 0; i < 12; ++i) {
            kernels(gpu, 10);
            pause(100);
        }
    } else if (mode == "clock-change") {
        return clockChange(gpu);
    } else if (mode == "exit" || mode == "_exit" || mode == "abort" || mode == "kill") {
        kernels(gpu, count, "early");
        pause(400);
        kernels(gpu, count, "late");
        if (mode == "exit") std::exit(0);
        if (mode == "_exit") _exit(0);
        if (mode == "abort") std::abort();
        ::raise(SIGKILL);
    } else if (mode == "fork") {
        kernels(gpu, count, "parent");
        const pid_t child = fork();
        if (child == 0) {
            const orrery::nvtx::Domain domain("job");
            { const orrery::nvtx::Range range(domain, domain.category(1, "child"), domain.name("in child")); }
            std::exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        kernels(gpu, count, "parent");
        return WEXITSTATUS(status);
    } else if (mode == "steps") {  // count steps of some 20 ms, each with 5 kernels and a range within
        const orrery::nvtx::Domain domain("orrery");
        const auto schema = domain.schema("orrery.step", {{"step", orrery::nvtx::FieldType::int64}});
        const auto category = domain.category(1, "step");
        for (int i = 0; i < count; ++i) {
            const orrery::nvtx::Range range(domain, category, domain.name("step"), schema, {std::int64_t{i}});
            const orrery::nvtx::Range inner(domain, category, domain.name("inside"));
            pause(15);
            kernels(gpu, 5, ("kernel of step " + std::to_string(i)).c_str());
            pause(5);
        }
    } else if (mode == "with-ranges") {
        const orrery::nvtx::Domain domain("job");
        for (int i = 0; i < count; ++i) {
            const orrery::nvtx::Range range(domain, domain.category(1, "step"), domain.name("step"));
            kernels(gpu, 2);
        }
    } else {
        return 7;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return argc > 1 ? run(argv[1], argc > 2 ? std::atoi(argv[2]) : 10) : 8;
}
