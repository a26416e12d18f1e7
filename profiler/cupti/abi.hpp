// The part of CUPTI's C interface that we call, as its documentation describes it: numbers and function types. CUPTI is
// opened at run time, so no CUDA header is needed; tests hold this file against a toolkit's headers where one is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::cupti {

using Result = std::int32_t;
inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorOutOfMemory = 8;
inline constexpr Result kErrorMaxLimitReached = 12;  ///< also: no further record in this buffer
inline constexpr Result kErrorNotInitialized = 15;
inline constexpr Result kErrorNotSupported = 27;
inline constexpr Result kErrorVirtualizedDevice = 33;
inline constexpr Result kErrorInsufficientPrivileges = 35;
inline constexpr Result kErrorMultipleSubscribers = 39;
inline constexpr Result kErrorVirtualizedPrivileges = 40;
inline constexpr Result kErrorConfidentialComputing = 41;
inline constexpr Result kErrorCmpDevice = 42;
inline constexpr Result kErrorMigDevice = 43;
inline constexpr Result kErrorSliDevice = 44;
inline constexpr Result kErrorWslDevice = 45;
inline constexpr Result kErrorUnknown = 999;  ///< what every call answers on a machine without a driver

/// Kinds of activity records. KERNEL (3) is left out on purpose: it makes kernels run one after the other.
enum class Kind : std::uint32_t {
    invalid = 0,
    memcpy = 1,
    memset = 2,
    driver = 4,
    runtime = 5,
    device = 8,
    concurrentKernel = 10,
    overhead = 17,
    memcpyPeer = 22,
    cudaEvent = 36,
    synchronization = 38,
    externalCorrelation = 39,
};

enum class Attribute : std::uint32_t { perThreadBuffer = 9 };
inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr std::uint32_t kThreadIdSystem = 1;  ///< threads as the operating system numbers them

/// Numbers of API functions (cbid) whose calls start work on a device or wait for it.
struct ApiFunction {
    std::uint32_t id;
    const char* name;
};
inline constexpr ApiFunction kRuntimeFunctions[] = {
    {31, "cudaMemcpy"},
    {41, "cudaMemcpyAsync"},
    {44, "cudaMemcpy2DAsync"},
    {49, "cudaMemset"},
    {51, "cudaMemsetAsync"},
    {131, "cudaStreamSynchronize"},
    {137, "cudaEventSynchronize"},
    {147, "cudaStreamWaitEvent"},
    {161, "cudaMemcpyPeerAsync"},
    {165, "cudaDeviceSynchronize"},
    {211, "cudaLaunchKernel"},
    {214, "cudaLaunchKernel"},
    {215, "cudaMemcpy"},
    {225, "cudaMemcpyAsync"},
    {235, "cudaMemsetAsync"},
    {239, "cudaStreamSynchronize"},
    {247, "cudaStreamWaitEvent"},
    {269, "cudaLaunchCooperativeKernel"},
    {270, "cudaLaunchCooperativeKernel"},
    {311, "cudaGraphLaunch"},
    {312, "cudaGraphLaunch"},
    {430, "cudaLaunchKernelExC"},
    {431, "cudaLaunchKernelExC"},
};
/// Launches only: the runtime's other calls would each come a second time as the driver's.
inline constexpr ApiFunction kDriverFunctions[] = {
    {307, "cuLaunchKernel"},
    {442, "cuLaunchKernel"},
    {477, "cuLaunchCooperativeKernel"},
    {478, "cuLaunchCooperativeKernel"},
    {514, "cuGraphLaunch"},
    {515, "cuGraphLaunch"},
    {652, "cuLaunchKernelEx"},
    {653, "cuLaunchKernelEx"},
};

using Context = void*;
using Subscriber = void*;
using SubscriberCallback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords);
using BufferCompleted = void (*)(Context context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                 std::size_t validSize);

/// Of cuptiSubscribe_v2 (CUDA 13.0).
struct SubscriberParameters {
    std::size_t structSize = sizeof(SubscriberParameters);
    const char* subscriberName = nullptr;
    char* oldSubscriberName = nullptr;
    std::size_t oldSubscriberSize = 0;
};

/// The functions; those that older versions lack may be null.
struct Functions {
    Result (*getVersion)(std::uint32_t*) = nullptr;
    Result (*getTimestamp)(std::uint64_t*) = nullptr;
    Result (*getResultString)(Result, const char**) = nullptr;
    Result (*subscribe)(Subscriber*, SubscriberCallback, void*) = nullptr;
    Result (*registerCallbacks)(BufferRequested, BufferCompleted) = nullptr;
    Result (*enable)(Kind) = nullptr;
    Result (*disable)(Kind) = nullptr;
    Result (*flushAll)(std::uint32_t) = nullptr;
    Result (*nextRecord)(std::uint8_t*, std::size_t, std::uint8_t**) = nullptr;
    Result (*droppedRecords)(Context, std::uint32_t, std::size_t*) = nullptr;
    // from here on optional
    Result (*subscribeNamed)(Subscriber*, SubscriberCallback, void*, SubscriberParameters*) = nullptr;
    Result (*unsubscribe)(Subscriber) = nullptr;
    Result (*setThreadIdType)(std::uint32_t) = nullptr;
    Result (*enableRuntimeApi)(std::uint32_t, std::uint8_t) = nullptr;
    Result (*enableDriverApi)(std::uint32_t, std::uint8_t) = nullptr;
    Result (*enableEventTimestamps)(std::uint8_t) = nullptr;
};

}  // namespace orrery::cupti
