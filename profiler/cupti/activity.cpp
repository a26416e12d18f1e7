#include "profiler/cupti/activity.hpp"

#include <array>
#include <span>

#include <fmt/format.h>

namespace orrery::cupti {
namespace {

constexpr std::uint32_t kNoId = 0xFFFFFFFF;  ///< CUPTI_SYNCHRONIZATION_INVALID_VALUE

template <std::size_t N>
std::string_view entry(const std::array<std::string_view, N>& names, std::size_t number) {
    return number < N ? names[number] : std::string_view("Unknown");
}

// Numbers of CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind.
constexpr std::array<std::string_view, 11> kDirections{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                       "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 8> kMemories{"Unknown", "Pageable", "Pinned",        "Device",
                                                    "Array",   "Managed",  "Device Static", "Managed Static"};
constexpr std::array<std::string_view, 5> kSynchronizations{"Synchronization", "Event Sync", "Stream Wait Event",
                                                            "Stream Sync", "Context Sync"};
// CUpti_ActivityOverheadKind: 1 is the compiler's, the others come in steps of 65536.
constexpr std::array<std::string_view, 9> kOverheads{"Overhead",
                                                     "Activity Buffer Flush",
                                                     "Instrumentation",
                                                     "Resource",
                                                     "Runtime Triggered Module Loading",
                                                     "Lazy Function Loading",
                                                     "Command Buffer Full",
                                                     "Activity Buffer Request",
                                                     "UVM Activity Init"};

std::optional<std::uint32_t> known(std::optional<std::uint32_t> id) {
    return id && *id != kNoId && *id != 0 ? id : std::nullopt;
}

std::string_view text(const RecordView& record, Field<std::uint64_t> field) {
    const auto* pointer = reinterpret_cast<const char*>(record.get(field).value_or(0));
    return pointer != nullptr ? std::string_view(pointer) : std::string_view("(name unknown)");
}

template <typename Value>
Value value(const RecordView& record, Field<Value> field) {
    return record.get(field).value_or(Value{});
}

void decodeKernel(const RecordView& record, ActivitySink& sink) {
    KernelActivity out;
    out.start = value(record, kernel::start);
    out.end = value(record, kernel::end);
    out.device = value(record, kernel::device);
    out.stream = value(record, kernel::stream);
    out.correlation = value(record, kernel::correlation);
    out.name = text(record, kernel::name);
    if (const auto node = record.get(kernel::graphNode); node && *node != 0) out.graphNode = node;
    sink.kernel(out);
}

void decodeCopy(const RecordView& record, ActivitySink& sink, Field<std::uint32_t> correlation) {
    CopyActivity out;
    out.start = value(record, copy::start);
    out.end = value(record, copy::end);
    out.device = value(record, copy::device);
    out.stream = value(record, copy::stream);
    out.correlation = value(record, correlation);
    out.bytes = value(record, copy::bytes);
    out.name = fmt::format("Memcpy {} ({} -> {})", entry(kDirections, value(record, copy::copyKind)),
                           entry(kMemories, value(record, copy::sourceKind)),
                           entry(kMemories, value(record, copy::targetKind)));
    sink.copy(out);
}

void decodeMemset(const RecordView& record, ActivitySink& sink) {
    CopyActivity out;
    out.start = value(record, memset::start);
    out.end = value(record, memset::end);
    out.device = value(record, memset::device);
    out.stream = value(record, memset::stream);
    out.correlation = value(record, memset::correlation);
    out.bytes = value(record, memset::bytes);
    out.name = fmt::format("Memset ({})", entry(kMemories, value(record, memset::memoryKind)));
    out.isMemset = true;
    sink.copy(out);
}

void decodeApi(const RecordView& record, ActivitySink& sink, std::span<const ApiFunction> functions) {
    ApiActivity out;
    out.start = value(record, api::start);
    out.end = value(record, api::end);
    out.thread = value(record, api::thread);
    out.correlation = value(record, api::correlation);
    const std::uint32_t id = value(record, api::function);
    for (const ApiFunction& function : functions) {
        if (function.id == id) out.name = function.name;
    }
    out.name.empty() ? sink.unknown() : sink.api(out);
}

void decodeSynchronization(const RecordView& record, ActivitySink& sink) {
    SynchronizationActivity out;
    out.start = value(record, synchronization::start);
    out.end = value(record, synchronization::end);
    out.name = entry(kSynchronizations, value(record, synchronization::type));
    out.context = value(record, synchronization::context);
    out.correlation = value(record, synchronization::correlation);
    out.stream = known(record.get(synchronization::stream));
    out.event = known(record.get(synchronization::event));
    sink.synchronization(out);
}

void decodeEvent(const RecordView& record, ActivitySink& sink) {
    EventActivity out;
    out.context = value(record, cuda_event::context);
    out.stream = value(record, cuda_event::stream);
    out.event = value(record, cuda_event::event);
    out.correlation = value(record, cuda_event::correlation);
    out.device = record.get(cuda_event::device);
    if (const auto time = record.get(cuda_event::time); time && *time != 0) out.time = time;
    sink.event(out);
}

void decodeOverhead(const RecordView& record, ActivitySink& sink) {
    constexpr std::uint32_t kThreadObject = 2;  // CUPTI_ACTIVITY_OBJECT_THREAD
    OverheadActivity out;
    out.start = value(record, overhead::start);
    out.end = value(record, overhead::end);
    const std::uint32_t type = value(record, overhead::type);
    out.name = type == 1 ? std::string_view("Driver Compiler") : entry(kOverheads, type >> 16U);
    if (value(record, overhead::objectKind) == kThreadObject) out.thread = record.get(overhead::thread);
    sink.overhead(out);
}

}  // namespace

void decode(const RecordView& record, ActivitySink& sink) {
    switch (record.kind()) {
        case Kind::concurrentKernel:
            return decodeKernel(record, sink);
        case Kind::memcpy:
            return decodeCopy(record, sink, copy::correlation);
        case Kind::memcpyPeer:
            return decodeCopy(record, sink, peer_copy::correlation);
        case Kind::memset:
            return decodeMemset(record, sink);
        case Kind::runtime:
            return decodeApi(record, sink, kRuntimeFunctions);
        case Kind::driver:
            return decodeApi(record, sink, kDriverFunctions);
        case Kind::synchronization:
            return decodeSynchronization(record, sink);
        case Kind::cudaEvent:
            return decodeEvent(record, sink);
        case Kind::overhead:
            return decodeOverhead(record, sink);
        case Kind::externalCorrelation:
            return sink.external(
                {value(record, external::type), value(record, external::correlation), value(record, external::id)});
        case Kind::device:
            // Older versions of this record have the id and the name elsewhere.
            if (!record.get(Field<std::uint64_t>{168})) return;
            return sink.device({value(record, device::id), text(record, device::name), value(record, device::memory),
                                value(record, device::multiprocessors)});
        case Kind::invalid:
            break;
    }
    sink.unknown();
}

std::optional<Field<std::uint64_t>> nameField(Kind kind) {
    if (kind == Kind::concurrentKernel) return kernel::name;
    if (kind == Kind::device) return device::name;
    return std::nullopt;
}

}  // namespace orrery::cupti
