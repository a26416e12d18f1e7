// libnccl-profiler-orrery.so: the NCCL profiler plugin, versions 1 to 6 of the interface, in the same library as the
// rest of recording. It asks for collectives and transfers only: events inside the kernel or the proxy cost a job
// percents. Every function answers success: a job must not fail for want of a record.
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "profiler/inject/nccl_events.hpp"
#include "profiler/nccl/abi.hpp"

namespace orrery::inject {
namespace {

using namespace nccl;

constexpr int kMask = static_cast<int>(eventCollective | eventTransfer);
constexpr std::uint64_t kNoCall = 1;  ///< handle of events that are not recorded (NCCL wants one for its groups)

/// What startEvent is given back as context: one communicator.
struct Communicator {
    std::uint64_t number = 0;
    std::int64_t ranks = -1;
    bool told = false;
};

// Numbers of version 1 (NCCL 2.23, src/include/nccl_common.h and nccl.h).
template <std::size_t N>
const char* textOf(const std::array<const char*, N>& texts, std::size_t number) {
    return number < N ? texts[number] : nullptr;
}
constexpr std::array kFunctions{"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                "AllReduce", "SendRecv", "Send",      "Recv"};
constexpr std::array kAlgorithms{"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array kProtocols{"LL", "LL128", "SIMPLE"};
constexpr std::array kDatatypes{"ncclInt8",    "ncclUint8",    "ncclInt32",      "ncclUint32",
                                "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
                                "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};

template <typename Body>
Body body(const Descriptor* descriptor) {
    Body out;
    std::memcpy(&out, reinterpret_cast<const char*>(descriptor) + kBodyOffset, sizeof(out));
    return out;
}

void tell(Communicator& communicator, const char* name, std::uint64_t number) {
    if (communicator.told) return;
    communicator.told = true;
    communicator.number = number;
    emitCommunicator({name, number, -1, -1, -1});
}

template <typename Body>
void fillCollective(NcclCallEvent& event, const Body& from) {
    event.sequence = static_cast<std::int64_t>(from.sequence);
    event.count = static_cast<std::int64_t>(from.count);
    event.root = from.root;
    event.channels = from.channels;
    event.warps = from.warps;
    if constexpr (std::is_same_v<Body, Collective1>) {
        event.function = textOf(kFunctions, from.function);
        event.datatype = textOf(kDatatypes, from.datatype);
        event.algorithm = textOf(kAlgorithms, from.algorithm);
        event.protocol = textOf(kProtocols, from.protocol);
    } else {
        event.function = from.function;
        event.datatype = from.datatype;
        event.algorithm = from.algorithm;
        event.protocol = from.protocol;
    }
}

template <typename Body>
void fillTransfer(NcclCallEvent& event, const Body& from) {
    event.count = static_cast<std::int64_t>(from.count);
    event.peer = from.peer;
    if constexpr (std::is_same_v<Body, Transfer1>) {
        event.function = textOf(kFunctions, from.function);
        event.datatype = textOf(kDatatypes, from.datatype);
    } else {
        event.function = from.function;
        event.datatype = from.datatype;
    }
    if constexpr (std::is_same_v<Body, Transfer4>) event.channels = from.channels;
}

/// Version 1 to 3 tell the communicator with each call.
template <typename Body>
constexpr bool kNamesCommunicator = requires(Body b) {
    b.communicator;
};

template <typename Collective, typename Transfer, bool WideType>
Result startEvent(void* context, void** handle, const Descriptor* descriptor) noexcept {
    if (handle == nullptr) return kSuccess;
    std::uint64_t id = kNoCall;
    if (context != nullptr && descriptor != nullptr) {
        auto& communicator = *static_cast<Communicator*>(context);
        const std::uint64_t type = WideType ? descriptor->type : descriptor->type & 0xFFU;
        NcclCallEvent event;
        const auto begin = [&](const auto& from) {
            if constexpr (kNamesCommunicator<std::remove_cvref_t<decltype(from)>>) {
                tell(communicator, from.communicatorName, from.communicator);
            }
            event.communicator = communicator.number;
            event.ranks = communicator.ranks;
            return beginNcclCall(event);
        };
        if (type == eventCollective) {
            const auto from = body<Collective>(descriptor);
            fillCollective(event, from);
            id = begin(from);
        } else if (type == eventTransfer) {
            const auto from = body<Transfer>(descriptor);
            fillTransfer(event, from);
            id = begin(from);
        }
    }
    *handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id));
    return kSuccess;
}

Result stopEvent(void* handle) noexcept {
    endNcclCall(reinterpret_cast<std::uintptr_t>(handle));
    return kSuccess;
}
Result recordState(void*, int, const void*) noexcept {
    return kSuccess;
}
Result finalize(void* context) noexcept {
    delete static_cast<Communicator*>(context);
    return kSuccess;
}

Result init1(void** context, int* mask) noexcept {
    *context = new (std::nothrow) Communicator;
    *mask = *context != nullptr ? kMask : 0;
    return kSuccess;
}
Result init5(void** context, std::uint64_t number, int* mask, const char* name, int nodes, int ranks, int rank,
             Logger) noexcept {
    init1(context, mask);
    if (*context == nullptr) return kSuccess;
    *static_cast<Communicator*>(*context) = {number, ranks, true};
    emitCommunicator({name, number, ranks, rank, nodes});
    return kSuccess;
}
Result init4(void** context, int* mask, const char* name, std::uint64_t number, int nodes, int ranks, int rank,
             Logger logger) noexcept {
    return init5(context, number, mask, name, nodes, ranks, rank, logger);
}

constexpr char kName[] = "orrery";

}  // namespace
}  // namespace orrery::inject

#define ORRERY_PLUGIN extern "C" __attribute__((visibility("default")))

using namespace orrery::inject;
using namespace orrery::nccl;

ORRERY_PLUGIN const Profiler1 ncclProfiler_v1{kName,      &init1,       &startEvent<Collective1, Transfer1, false>,
                                              &stopEvent, &recordState, &finalize};
ORRERY_PLUGIN const Profiler1 ncclProfiler_v2{kName,      &init1,       &startEvent<Collective2, Transfer2, false>,
                                              &stopEvent, &recordState, &finalize};
ORRERY_PLUGIN const Profiler1 ncclProfiler_v3{kName,      &init1,       &startEvent<Collective3, Transfer2, false>,
                                              &stopEvent, &recordState, &finalize};
ORRERY_PLUGIN const Profiler4 ncclProfiler_v4{kName,      &init4,       &startEvent<Collective4, Transfer4, false>,
                                              &stopEvent, &recordState, &finalize};
ORRERY_PLUGIN const Profiler5 ncclProfiler_v5{kName,      &init5,       &startEvent<Collective4, Transfer4, true>,
                                              &stopEvent, &recordState, &finalize};
ORRERY_PLUGIN const Profiler5 ncclProfiler_v6{kName,      &init5,       &startEvent<Collective4, Transfer4, true>,
                                              &stopEvent, &recordState, &finalize};
