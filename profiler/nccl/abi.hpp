// The part of NCCL's profiler interface (NCCL, src/include/plugin/profiler, versions 1 to 6) that we use: what a plugin
// exports, and the descriptors of collectives and transfers. Written from those public headers, not copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::nccl {

using Result = int;
inline constexpr Result kSuccess = 0;

enum EventType : std::uint64_t { eventGroup = 1, eventCollective = 2, eventTransfer = 4 };

/// Head of every descriptor. Versions 1 to 4 write one byte of `type`, later ones eight.
struct Descriptor {
    std::uint64_t type;
    void* parent;
    int rank;
};

/// What follows the head, by version.
struct Collective1 {
    const char* communicatorName;
    std::uint64_t communicator, sequence;
    std::uint8_t function;
    const void* sendBuffer;
    void* receiveBuffer;
    std::size_t count;
    int root;
    std::uint8_t datatype;
    std::uint32_t operation;
    std::size_t trafficBytes;
    std::uint8_t channels, warps, algorithm, protocol;
};
struct Transfer1 {
    const char* communicatorName;
    std::uint64_t communicator;
    std::uint8_t function;
    void* buffer;
    std::uint8_t datatype;
    std::size_t count;
    int peer;
};
struct Collective2 {
    const char* communicatorName;
    std::uint64_t communicator, sequence;
    const char* function;
    const void* sendBuffer;
    void* receiveBuffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::size_t trafficBytes;
    std::uint8_t channels, warps;
    const char *algorithm, *protocol;
};
struct Collective3 {
    const char* communicatorName;
    std::uint64_t communicator, sequence;
    const char* function;
    const void* sendBuffer;
    void* receiveBuffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels, warps;
    const char *algorithm, *protocol;
};
/// Of versions 2 and 3.
struct Transfer2 {
    const char* communicatorName;
    std::uint64_t communicator;
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
};
/// Of version 4 on: the communicator is told once, by init.
struct Collective4 {
    std::uint64_t sequence;
    const char* function;
    const void* sendBuffer;
    void* receiveBuffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels, warps;
    const char *algorithm, *protocol;
};
struct Transfer4 {
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
    std::uint8_t channels;
};
/// The union that holds them begins at the next multiple of 8.
inline constexpr std::size_t kBodyOffset = 24;

using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);
using StartEvent = Result (*)(void* context, void** handle, const Descriptor* descriptor);
using StopEvent = Result (*)(void* handle);
using RecordState = Result (*)(void* handle, int state, const void* arguments);
using Finalize = Result (*)(void* context);

/// Versions 1 to 3.
struct Profiler1 {
    const char* name;
    Result (*init)(void** context, int* mask);
    StartEvent startEvent;
    StopEvent stopEvent;
    RecordState recordEventState;
    Finalize finalize;
};
struct Profiler4 {
    const char* name;
    Result (*init)(void** context, int* mask, const char* communicatorName, std::uint64_t communicator, int nodes,
                   int ranks, int rank, Logger logger);
    StartEvent startEvent;
    StopEvent stopEvent;
    RecordState recordEventState;
    Finalize finalize;
};
/// Versions 5 and 6.
struct Profiler5 {
    const char* name;
    Result (*init)(void** context, std::uint64_t communicator, int* mask, const char* communicatorName, int nodes,
                   int ranks, int rank, Logger logger);
    StartEvent startEvent;
    StopEvent stopEvent;
    RecordState recordEventState;
    Finalize finalize;
};

}  // namespace orrery::nccl
