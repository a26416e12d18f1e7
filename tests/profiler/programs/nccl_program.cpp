// Plays NCCL: loads the profiler plugin of NCCL_PROFILER_PLUGIN and tells it of calls as NCCL's source does, after each
// launch, in one version of the interface (first argument), together with the kernels on the stand-in libcupti.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/cupti/abi.hpp"
#include "profiler/nccl/abi.hpp"
#include "tests/profiler/fake_cupti/fake_cupti.hpp"

namespace {

using namespace orrery::nccl;
using namespace orrery::test;

struct alignas(8) Memory {
    unsigned char bytes[256];
};

template <typename Body>
const Descriptor* describe(Memory& memory, std::uint64_t type, const Body& body, bool narrow) {
    std::memset(memory.bytes, narrow ? 0xAB : 0, sizeof(memory.bytes));  // versions up to 4 write one byte of the type
    if (narrow) {
        memory.bytes[0] = static_cast<unsigned char>(type);
    } else {
        std::memcpy(memory.bytes, &type, sizeof(type));
    }
    std::memcpy(memory.bytes + kBodyOffset, &body, sizeof(body));
    return reinterpret_cast<const Descriptor*>(memory.bytes);
}

struct Kernels {
    FakeEmit emit = nullptr;
    FakeNow now = nullptr;
    std::uint32_t correlation = 0;

    /// The launch by the host, and the kernel that it starts.
    void launch(const char* name) {
        if (emit == nullptr) return;
        FakeRecord r;
        r.correlation = ++correlation;
        r.kind = static_cast<std::uint32_t>(orrery::cupti::Kind::runtime);
        r.number = 430;
        r.stream = static_cast<std::uint32_t>(::syscall(SYS_gettid));
        r.start = now();
        r.end = now();
        emit(&r);
        r.kind = static_cast<std::uint32_t>(orrery::cupti::Kind::concurrentKernel);
        r.stream = 7;
        r.name = name;
        r.start = now();
        r.end = r.start + 5000;
        emit(&r);
    }
};

template <typename Table>
void call(const Table* table, void* context, const Descriptor* descriptor, void* memory = nullptr) {
    static_cast<void>(memory);
    void* handle = nullptr;
    if (table->startEvent(context, &handle, descriptor) != kSuccess || handle == nullptr) std::exit(11);
    if (table->recordEventState(handle, 3, nullptr) != kSuccess || table->stopEvent(handle) != kSuccess) std::exit(12);
}

int tellOf(int version, void* plugin, Kernels& kernels) {
    void* table = dlsym(plugin, ("ncclProfiler_v" + std::to_string(version)).c_str());
    if (table == nullptr) return 10;
    void* context = nullptr;
    int mask = 0;
    Memory memory;
    constexpr std::uint64_t kComm = 0xFEDCBA9876543210ULL;
    if (version <= 3) {
        const auto* t = static_cast<const Profiler1*>(table);
        t->init(&context, &mask);
        struct Nothing {};
        call(t, context, describe(memory, eventGroup, Nothing{}, true));
        if (version == 1) {
            kernels.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            call(t, context,
                 describe(memory, eventCollective,
                          Collective1{"tp", kComm, 5, 4, nullptr, nullptr, 1024, 0, 7, 0, 0, 16, 8, 1, 0}, true));
            kernels.launch("ncclDevKernel_SendRecv");
            call(t, context, describe(memory, eventTransfer, Transfer1{"tp", kComm, 6, nullptr, 9, 512, 3}, true));
        } else {
            const char *algo = "RING", *proto = "LL";
            kernels.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            if (version == 2) {
                call(t, context,
                     describe(memory, eventCollective,
                              Collective2{"tp", kComm, 5, "AllReduce", nullptr, nullptr, 1024, 0, "ncclFloat32", 0, 16,
                                          8, algo, proto},
                              true));
            } else {
                call(t, context,
                     describe(memory, eventCollective,
                              Collective3{"tp", kComm, 5, "AllReduce", nullptr, nullptr, 1024, 0, "ncclFloat32", 16, 8,
                                          algo, proto},
                              true));
            }
            kernels.launch("ncclDevKernel_SendRecv");
            call(
                t, context,
                describe(memory, eventTransfer, Transfer2{"tp", kComm, "Send", nullptr, "ncclBfloat16", 512, 3}, true));
        }
        t->finalize(context);
        return mask == 6 ? 0 : 13;
    }
    const auto play = [&](const auto* t) {
        const Collective4 collective{5, "AllReduce", nullptr, nullptr, 1024, 0, "ncclFloat32", 16, 8, "RING", "LL"};
        kernels.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
        call(t, context, describe(memory, eventCollective, collective, version == 4));
        kernels.launch("ncclDevKernel_SendRecv");
        call(t, context,
             describe(memory, eventTransfer, Transfer4{"Send", nullptr, "ncclBfloat16", 512, 3, 2}, version == 4));
        const Collective4 gather{6, "AllGather", nullptr, nullptr, 100, 0, "ncclInt8", 4, 8, "NVLS", "SIMPLE"};
        kernels.launch("ncclDevKernel_AllGather_RING_LL");
        call(t, context, describe(memory, eventCollective, gather, version == 4));
        t->finalize(context);
    };
    if (version == 4) {
        const auto* t = static_cast<const Profiler4*>(table);
        t->init(&context, &mask, "tp", kComm, 1, 8, 2, nullptr);
        play(t);
    } else {
        const auto* t = static_cast<const Profiler5*>(table);
        t->init(&context, kComm, &mask, "tp", 1, 8, 2, nullptr);
        play(t);
    }
    return mask == 6 ? 0 : 13;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 8;
    Kernels kernels;
    if (const char* path = std::getenv("CUDA_INJECTION64_PATH"); path != nullptr) {
        auto* start = reinterpret_cast<int (*)()>(dlsym(dlopen(path, RTLD_NOW), "InitializeInjection"));
        if (start == nullptr || start() != 1) return 3;
        void* fake = dlopen(std::getenv("FAKE_CUPTI"), RTLD_NOW);
        kernels.emit = reinterpret_cast<FakeEmit>(dlsym(fake, "fakeCuptiEmit"));
        kernels.now = reinterpret_cast<FakeNow>(dlsym(fake, "fakeCuptiNow"));
    }
    void* plugin = dlopen(std::getenv("NCCL_PROFILER_PLUGIN"), RTLD_NOW);
    return plugin == nullptr ? 9 : tellOf(std::atoi(argv[1]), plugin, kernels);
}
