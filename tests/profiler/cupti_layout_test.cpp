// Our description of CUPTI's records and numbers against a toolkit's own headers, where one is here.
#include <catch2/catch.hpp>

#if __has_include(<cupti.h>)
#include <cstddef>

#include <cupti.h>
#include <cupti_activity_deprecated.h>

#include "profiler/cupti/layout.hpp"

namespace orrery::test {
namespace {

namespace c = cupti;
#define SAME(field, record, member)                             \
    static_assert((field).offset == offsetof(record, member) && \
                  sizeof(decltype(field)::type) == sizeof(static_cast<record*>(nullptr)->member))
#define KERNEL(record)                           \
    SAME(c::kernel::start, record, start);       \
    SAME(c::kernel::end, record, end);           \
    SAME(c::kernel::gridId, record, gridId);     \
    SAME(c::kernel::name, record, name);         \
    SAME(c::kernel::device, record, deviceId);   \
    SAME(c::kernel::context, record, contextId); \
    SAME(c::kernel::stream, record, streamId);   \
    SAME(c::kernel::correlation, record, correlationId)
KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
SAME(c::kernel::graphNode, CUpti_ActivityKernel5, graphNodeId);
SAME(c::kernel::graphNode, CUpti_ActivityKernel9, graphNodeId);
#define COPY(record)                            \
    SAME(c::copy::copyKind, record, copyKind);  \
    SAME(c::copy::sourceKind, record, srcKind); \
    SAME(c::copy::targetKind, record, dstKind); \
    SAME(c::copy::bytes, record, bytes);        \
    SAME(c::copy::start, record, start);        \
    SAME(c::copy::end, record, end);            \
    SAME(c::copy::device, record, deviceId);    \
    SAME(c::copy::stream, record, streamId)
COPY(CUpti_ActivityMemcpy);
COPY(CUpti_ActivityMemcpy4);
COPY(CUpti_ActivityMemcpy5);
COPY(CUpti_ActivityMemcpyPtoP);
COPY(CUpti_ActivityMemcpyPtoP3);
SAME(c::copy::correlation, CUpti_ActivityMemcpy5, correlationId);
SAME(c::peer_copy::correlation, CUpti_ActivityMemcpyPtoP3, correlationId);
SAME(c::peer_copy::sourceDevice, CUpti_ActivityMemcpyPtoP3, srcDeviceId);
SAME(c::peer_copy::targetDevice, CUpti_ActivityMemcpyPtoP3, dstDeviceId);
#define MEMSET(record)                                   \
    SAME(c::memset::bytes, record, bytes);               \
    SAME(c::memset::start, record, start);               \
    SAME(c::memset::end, record, end);                   \
    SAME(c::memset::device, record, deviceId);           \
    SAME(c::memset::stream, record, streamId);           \
    SAME(c::memset::correlation, record, correlationId); \
    SAME(c::memset::memoryKind, record, memoryKind)
MEMSET(CUpti_ActivityMemset);
MEMSET(CUpti_ActivityMemset3);
SAME(c::synchronization::start, CUpti_ActivitySynchronization, start);
SAME(c::synchronization::end, CUpti_ActivitySynchronization, end);
SAME(c::synchronization::correlation, CUpti_ActivitySynchronization, correlationId);
SAME(c::synchronization::context, CUpti_ActivitySynchronization, contextId);
SAME(c::synchronization::stream, CUpti_ActivitySynchronization, streamId);
SAME(c::synchronization::event, CUpti_ActivitySynchronization, cudaEventId);
SAME(c::cuda_event::correlation, CUpti_ActivityCudaEvent, correlationId);
SAME(c::cuda_event::context, CUpti_ActivityCudaEvent, contextId);
SAME(c::cuda_event::stream, CUpti_ActivityCudaEvent, streamId);
SAME(c::cuda_event::event, CUpti_ActivityCudaEvent, eventId);
SAME(c::overhead::start, CUpti_ActivityOverhead, start);
SAME(c::overhead::end, CUpti_ActivityOverhead, end);
static_assert(offsetof(CUpti_ActivityOverhead, objectId) == c::overhead::process.offset);
SAME(c::external::id, CUpti_ActivityExternalCorrelation, externalId);
SAME(c::external::correlation, CUpti_ActivityExternalCorrelation, correlationId);
SAME(c::api::function, CUpti_ActivityAPI, cbid);
SAME(c::api::start, CUpti_ActivityAPI, start);
SAME(c::api::end, CUpti_ActivityAPI, end);
SAME(c::api::thread, CUpti_ActivityAPI, threadId);
SAME(c::api::correlation, CUpti_ActivityAPI, correlationId);
SAME(c::device::memory, CUpti_ActivityDevice4, globalMemorySize);
SAME(c::device::multiprocessors, CUpti_ActivityDevice4, numMultiprocessors);
SAME(c::device::id, CUpti_ActivityDevice4, id);
SAME(c::device::name, CUpti_ActivityDevice4, name);
#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
COPY(CUpti_ActivityMemcpy6);
COPY(CUpti_ActivityMemcpyPtoP4);
MEMSET(CUpti_ActivityMemset4);
SAME(c::peer_copy::correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(c::synchronization::eventSync, CUpti_ActivitySynchronization2, cudaEventSyncId);
SAME(c::cuda_event::device, CUpti_ActivityCudaEvent2, deviceId);
SAME(c::cuda_event::time, CUpti_ActivityCudaEvent2, deviceTimestamp);
SAME(c::cuda_event::eventSync, CUpti_ActivityCudaEvent2, cudaEventSyncId);
#endif

}  // namespace

TEST_CASE("sizes of records by version are those of the toolkit's headers", "[gpu]") {
    using c::Kind;
    CHECK(c::recordSize(Kind::concurrentKernel, 15) == sizeof(CUpti_ActivityKernel6));
    CHECK(c::recordSize(Kind::concurrentKernel, 17) == sizeof(CUpti_ActivityKernel7));
    CHECK(c::recordSize(Kind::concurrentKernel, 18) == sizeof(CUpti_ActivityKernel8));
    CHECK(c::recordSize(Kind::concurrentKernel, 27) == sizeof(CUpti_ActivityKernel9));
    CHECK(c::recordSize(Kind::memcpy, 24) == sizeof(CUpti_ActivityMemcpy5));
    CHECK(c::recordSize(Kind::synchronization, 24) == sizeof(CUpti_ActivitySynchronization));
    CHECK(c::recordSize(Kind::cudaEvent, 24) == sizeof(CUpti_ActivityCudaEvent));
    CHECK(c::recordSize(Kind::runtime, 24) == sizeof(CUpti_ActivityAPI));
    CHECK(c::recordSize(Kind::externalCorrelation, 24) == sizeof(CUpti_ActivityExternalCorrelation));
    CHECK(c::recordSize(Kind::device, 24) == sizeof(CUpti_ActivityDevice4));
#if CUPTI_API_VERSION >= 130000
    CHECK(c::recordSize(Kind::concurrentKernel, CUPTI_API_VERSION) == sizeof(CUpti_ActivityKernel10));
    CHECK(c::recordSize(Kind::memcpy, CUPTI_API_VERSION) == sizeof(CUpti_ActivityMemcpy6));
    CHECK(c::recordSize(Kind::memcpyPeer, CUPTI_API_VERSION) == sizeof(CUpti_ActivityMemcpyPtoP4));
    CHECK(c::recordSize(Kind::memset, CUPTI_API_VERSION) == sizeof(CUpti_ActivityMemset4));
    CHECK(c::recordSize(Kind::synchronization, CUPTI_API_VERSION) == sizeof(CUpti_ActivitySynchronization2));
    CHECK(c::recordSize(Kind::cudaEvent, CUPTI_API_VERSION) == sizeof(CUpti_ActivityCudaEvent2));
    CHECK(c::recordSize(Kind::overhead, CUPTI_API_VERSION) == sizeof(CUpti_ActivityOverhead3));
    CHECK(c::recordSize(Kind::device, CUPTI_API_VERSION) == sizeof(CUpti_ActivityDevice5));
#endif
}

TEST_CASE("numbers of kinds, errors and API functions are those of the toolkit's headers", "[gpu]") {
    using c::Kind;
    CHECK(static_cast<int>(Kind::concurrentKernel) == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CHECK(static_cast<int>(Kind::memcpy) == CUPTI_ACTIVITY_KIND_MEMCPY);
    CHECK(static_cast<int>(Kind::memcpyPeer) == CUPTI_ACTIVITY_KIND_MEMCPY2);
    CHECK(static_cast<int>(Kind::memset) == CUPTI_ACTIVITY_KIND_MEMSET);
    CHECK(static_cast<int>(Kind::cudaEvent) == CUPTI_ACTIVITY_KIND_CUDA_EVENT);
    CHECK(static_cast<int>(Kind::synchronization) == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    CHECK(static_cast<int>(Kind::externalCorrelation) == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    CHECK(static_cast<int>(Kind::overhead) == CUPTI_ACTIVITY_KIND_OVERHEAD);
    CHECK(static_cast<int>(Kind::device) == CUPTI_ACTIVITY_KIND_DEVICE);
    CHECK(c::kErrorMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    CHECK(c::kErrorMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
    CHECK(c::kErrorUnknown == CUPTI_ERROR_UNKNOWN);
    CHECK(c::kErrorInsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    const auto runtime = [](std::uint32_t id) {
        for (const auto& function : c::kRuntimeFunctions) {
            if (function.id == id) return std::string(function.name);
        }
        return std::string("absent");
    };
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) == "cudaLaunchKernel");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060) == "cudaLaunchKernelExC");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000) == "cudaGraphLaunch");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020) == "cudaMemcpyAsync");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_ptsz_v7000) == "cudaMemsetAsync");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020) == "cudaStreamSynchronize");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020) == "cudaDeviceSynchronize");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_ptsz_v7000) == "cudaStreamWaitEvent");
    CHECK(runtime(CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020) == "cudaEventSynchronize");
    CHECK(c::kDriverFunctions[0].id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
    CHECK(c::kDriverFunctions[6].id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
}

}  // namespace orrery::test

#else
#include <cstdio>
TEST_CASE("CUPTI's records are laid out as the toolkit's headers say", "[gpu]") {
    std::printf("skipped: no cupti.h here (a CUDA toolkit; set CUDA_HOME)\n");
}
#endif
