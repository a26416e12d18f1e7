// See fake_cupti.hpp. Written against the documented behaviour of the activity API; shares only the layout with ours.
#include "tests/profiler/fake_cupti/fake_cupti.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "profiler/cupti/layout.hpp"

namespace orrery::test {
namespace {

using namespace cupti;

std::uint32_t fromEnvironment(const char* variable, std::uint32_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

struct Current {
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0, used = 0;
};

struct State {
    std::mutex mutex;
    std::set<std::uint32_t> kinds;
    std::set<std::uint32_t> runtimeApis, driverApis;
    BufferRequested requested = nullptr;
    BufferCompleted completed = nullptr;
    Current current;
    std::deque<Current> full;  ///< of held records: not handed out before they are complete
    std::size_t dropped = 0;
    bool held = false;
    std::int64_t clockOffset = 0;
    double clockScale = 1.0;
    std::vector<std::unique_ptr<std::string>> names;
    const std::uint32_t version = fromEnvironment("FAKE_CUPTI_VERSION", 130001);
};
State& state() {
    static auto* made = new State;  // used while statics go away
    return *made;
}

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    const auto ns = static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    const State& s = state();
    if (s.clockScale == 1.0) return static_cast<std::uint64_t>(ns + s.clockOffset);
    // A counter of another rate starts somewhere near: keep the product exact enough.
    return static_cast<std::uint64_t>(
        s.clockOffset + static_cast<std::int64_t>(s.clockScale * static_cast<double>(ns % 1'000'000'000'000'000)));
}

void deliver(State& s, const Current& buffer) {
    s.completed(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
}

/// Hands out what is complete; with `forced` also what is held.
void flush(State& s, bool forced) {
    if (s.held && !forced) return;
    while (!s.full.empty()) {
        deliver(s, s.full.front());
        s.full.pop_front();
    }
    if (s.current.bytes != nullptr && s.current.used > 0) {
        deliver(s, s.current);
        s.current = {};
    }
}

/// Room for a record, in a new buffer when need be.
std::uint8_t* place(State& s, std::size_t size) {
    if (s.current.bytes != nullptr && s.current.used + size > s.current.size) {
        s.held ? s.full.push_back(s.current) : deliver(s, s.current);
        s.current = {};
    }
    if (s.current.bytes == nullptr) {
        std::size_t most = 0;
        s.requested(&s.current.bytes, &s.current.size, &most);
        if (s.current.bytes == nullptr) return nullptr;
        if (reinterpret_cast<std::uintptr_t>(s.current.bytes) % 8 != 0) std::abort();  // as CUPTI demands
        s.current.used = 0;
    }
    std::uint8_t* record = s.current.bytes + s.current.used;
    std::memset(record, 0xEE, size);  // what a client must not read is not zero
    s.current.used += size;
    return record;
}

const char* keepName(State& s, const char* name) {
    if (name == nullptr) return nullptr;
    for (const auto& known : s.names) {
        if (*known == name) return known->c_str();
    }
    s.names.push_back(std::make_unique<std::string>(name));
    return s.names.back()->c_str();
}

template <typename Value, typename Given>
void put(RecordView& view, Field<Value> field, Given value) {
    if (view.get(field)) view.set(field, static_cast<Value>(value));
}

void fill(State& s, RecordView& view, const FakeRecord& r) {
    const auto pointer = [&] { return reinterpret_cast<std::uintptr_t>(keepName(s, r.name)); };
    switch (static_cast<Kind>(r.kind)) {
        case Kind::concurrentKernel:
            put(view, kernel::start, r.start);
            put(view, kernel::end, r.end);
            put(view, kernel::device, r.device);
            put(view, kernel::stream, r.stream);
            put(view, kernel::correlation, r.correlation);
            put(view, kernel::name, pointer());
            put(view, kernel::graphNode, r.graphNode);
            break;
        case Kind::memcpy:
        case Kind::memcpyPeer:
            put(view, copy::copyKind, r.number);
            put(view, copy::sourceKind, 2);
            put(view, copy::targetKind, 3);
            put(view, copy::bytes, r.bytes);
            put(view, copy::start, r.start);
            put(view, copy::end, r.end);
            put(view, copy::device, r.device);
            put(view, copy::stream, r.stream);
            put(view, static_cast<Kind>(r.kind) == Kind::memcpy ? copy::correlation : peer_copy::correlation,
                r.correlation);
            break;
        case Kind::memset:
            put(view, memset::bytes, r.bytes);
            put(view, memset::start, r.start);
            put(view, memset::end, r.end);
            put(view, memset::device, r.device);
            put(view, memset::stream, r.stream);
            put(view, memset::correlation, r.correlation);
            put(view, memset::memoryKind, 3);
            break;
        case Kind::runtime:
        case Kind::driver:
            put(view, api::function, r.number);
            put(view, api::start, r.start);
            put(view, api::end, r.end);
            put(view, api::thread, r.stream);
            put(view, api::correlation, r.correlation);
            break;
        case Kind::synchronization:
            put(view, synchronization::type, r.number);
            put(view, synchronization::start, r.start);
            put(view, synchronization::end, r.end);
            put(view, synchronization::correlation, r.correlation);
            put(view, synchronization::context, 1);
            put(view, synchronization::stream, r.stream);
            put(view, synchronization::event, 0xFFFFFFFFU);
            break;
        case Kind::cudaEvent:
            put(view, cuda_event::correlation, r.correlation);
            put(view, cuda_event::context, 1);
            put(view, cuda_event::stream, r.stream);
            put(view, cuda_event::event, r.number);
            put(view, cuda_event::device, r.device);
            put(view, cuda_event::time, r.start);
            break;
        case Kind::overhead:
            put(view, overhead::type, r.number);
            put(view, overhead::objectKind, 2);
            put(view, overhead::thread, r.stream);
            put(view, overhead::start, r.start);
            put(view, overhead::end, r.end);
            break;
        case Kind::externalCorrelation:
            put(view, external::type, r.number);
            put(view, external::id, r.externalId);
            put(view, external::correlation, r.correlation);
            break;
        case Kind::device:
            put(view, device::memory, r.bytes);
            put(view, device::multiprocessors, r.number);
            put(view, device::id, r.device);
            put(view, device::name, pointer());
            break;
        case Kind::invalid:
            break;
    }
}

bool wanted(const State& s, const FakeRecord& r) {
    if (s.kinds.contains(r.kind)) return true;
    if (r.kind == 22) return s.kinds.contains(1);  // copies between devices come with copies
    if (r.kind == 5) return s.runtimeApis.contains(r.number);
    if (r.kind == 4) return s.driverApis.contains(r.number);
    return false;
}

}  // namespace
}  // namespace orrery::test

// --- the stand-in's own functions ---------------------------------------------------------------------------------

using namespace orrery::test;
using orrery::cupti::Kind;
using orrery::cupti::RecordView;
using orrery::cupti::Result;

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT int fakeCuptiEmit(const FakeRecord* record) {
    State& s = state();
    const std::scoped_lock lock(s.mutex);
    if (!wanted(s, *record) || s.requested == nullptr) return -1;
    std::size_t size = orrery::cupti::recordSize(static_cast<Kind>(record->kind), s.version);
    if (size == 0) size = 64;  // a kind that clients do not know
    std::uint8_t* bytes = place(s, size);
    if (bytes == nullptr) {
        ++s.dropped;
        return 0;
    }
    RecordView view(bytes, size);
    view.set(orrery::cupti::Field<std::uint32_t>{0}, record->kind);
    fill(s, view, *record);
    return 1;
}
FAKE_EXPORT void fakeCuptiHold(int on) {
    const std::scoped_lock lock(state().mutex);
    state().held = on != 0;
}
FAKE_EXPORT void fakeCuptiFreeNames() {
    State& s = state();
    const std::scoped_lock lock(s.mutex);
    for (auto& name : s.names) std::memset(name->data(), '#', name->size());
    s.names.clear();
}
FAKE_EXPORT void fakeCuptiShiftClock(std::int64_t offset, double scale) {
    const std::scoped_lock lock(state().mutex);
    state().clockOffset = offset;
    state().clockScale = scale;
}
FAKE_EXPORT std::uint64_t fakeCuptiNow() {
    const std::scoped_lock lock(state().mutex);
    return now();
}
FAKE_EXPORT void fakeCuptiDeliverForeign() {
    static std::array<std::uint8_t, 4096> foreign{};
    state().completed(nullptr, 0, foreign.data(), foreign.size(), foreign.size());
}

// --- CUPTI's functions --------------------------------------------------------------------------------------------

FAKE_EXPORT Result cuptiGetVersion(std::uint32_t* version) {
    *version = state().version;
    return 0;
}
FAKE_EXPORT Result cuptiGetTimestamp(std::uint64_t* timestamp) {
    *timestamp = fakeCuptiNow();
    return 0;
}
FAKE_EXPORT Result cuptiGetResultString(Result, const char** text) {
    *text = "CUPTI_ERROR_OF_THE_STAND_IN";
    return 0;
}
FAKE_EXPORT Result cuptiSubscribe(void** subscriber, orrery::cupti::SubscriberCallback, void*) {
    *subscriber = &state();
    return static_cast<Result>(fromEnvironment("FAKE_CUPTI_SUBSCRIBE", 0));
}
FAKE_EXPORT Result cuptiSubscribe_v2(void** subscriber, orrery::cupti::SubscriberCallback callback, void* user,
                                     orrery::cupti::SubscriberParameters* parameters) {
    const char* holder = std::getenv("FAKE_CUPTI_HOLDER");
    if (holder != nullptr && parameters != nullptr && parameters->oldSubscriberName != nullptr) {
        std::strncpy(parameters->oldSubscriberName, holder, parameters->oldSubscriberSize - 1);
    }
    return cuptiSubscribe(subscriber, callback, user);
}
FAKE_EXPORT Result cuptiUnsubscribe(void*) {
    return 0;
}
FAKE_EXPORT Result cuptiSetThreadIdType(std::uint32_t) {
    return 0;
}
FAKE_EXPORT Result cuptiActivityRegisterCallbacks(orrery::cupti::BufferRequested requested,
                                                  orrery::cupti::BufferCompleted completed) {
    const std::scoped_lock lock(state().mutex);
    state().requested = requested;
    state().completed = completed;
    return 0;
}
FAKE_EXPORT Result cuptiActivityEnable(std::uint32_t kind) {
    if (const auto result = fromEnvironment("FAKE_CUPTI_ENABLE", 0); result != 0) return static_cast<Result>(result);
    if (fromEnvironment("FAKE_CUPTI_REFUSED_KIND", 0) == kind) return orrery::cupti::kErrorNotSupported;
    const std::scoped_lock lock(state().mutex);
    state().kinds.insert(kind);
    return 0;
}
FAKE_EXPORT Result cuptiActivityDisable(std::uint32_t kind) {
    const std::scoped_lock lock(state().mutex);
    state().kinds.erase(kind);
    return 0;
}
FAKE_EXPORT Result cuptiActivityEnableRuntimeApi(std::uint32_t function, std::uint8_t on) {
    const std::scoped_lock lock(state().mutex);
    on != 0 ? static_cast<void>(state().runtimeApis.insert(function))
            : static_cast<void>(state().runtimeApis.erase(function));
    return 0;
}
FAKE_EXPORT Result cuptiActivityEnableDriverApi(std::uint32_t function, std::uint8_t on) {
    const std::scoped_lock lock(state().mutex);
    on != 0 ? static_cast<void>(state().driverApis.insert(function))
            : static_cast<void>(state().driverApis.erase(function));
    return 0;
}
FAKE_EXPORT Result cuptiActivityEnableCudaEventDeviceTimestamps(std::uint8_t) {
    return 0;
}
FAKE_EXPORT Result cuptiActivityFlushAll(std::uint32_t flags) {
    State& s = state();
    const std::scoped_lock lock(s.mutex);
    flush(s, (flags & orrery::cupti::kFlushForced) != 0);
    return 0;
}
FAKE_EXPORT Result cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t validSize, std::uint8_t** record) {
    std::uint8_t* next = buffer;
    if (*record != nullptr) {
        std::size_t size = orrery::cupti::recordSize(RecordView(*record, 4).kind(), state().version);
        next = *record + (size != 0 ? size : 64);
    }
    if (next >= buffer + validSize) return orrery::cupti::kErrorMaxLimitReached;
    *record = next;
    return 0;
}
FAKE_EXPORT Result cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
    State& s = state();
    const std::scoped_lock lock(s.mutex);  // a client that called while holding a lock of its callbacks would hang
    *dropped = s.dropped;
    s.dropped = 0;
    return 0;
}
/// Known to crash programs: a client that calls it fails its test.
FAKE_EXPORT Result cuptiFinalize() {
    std::abort();
}
