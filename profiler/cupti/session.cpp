#include "profiler/cupti/session.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery::cupti {
namespace {

/// Before this version (CUDA 12.9) CUPTI can crash when a buffer is refused.
constexpr std::uint32_t kRefusalIsSafe = 27;
/// Before this version (CUDA 13.0 update 1) disabling kernel records can deadlock, as the vendor's release notes say.
constexpr std::uint32_t kDisablingKernelsIsSafe = 130001;

// What a subscriber hears; nothing is enabled. Subscribing claims CUPTI and tells who has it.
void heard(void*, std::uint32_t, std::uint32_t, const void*) {}

}  // namespace

Session& Session::instance() {
    alignas(Session) static unsigned char storage[sizeof(Session)];
    static auto* session = new (storage) Session;
    return *session;
}

SessionState Session::fail(SessionState state, std::string message) {
    message_ = std::move(message);
    state_.store(state, std::memory_order_release);
    return state;
}

Result Session::subscribe(std::string& holder) {
    const Functions& f = library_.functions;
    if (f.subscribeNamed == nullptr) return f.subscribe(&subscriber_, &heard, nullptr);
    std::array<char, 128> name{};
    SubscriberParameters parameters;
    parameters.subscriberName = "orrery";
    parameters.oldSubscriberName = name.data();
    parameters.oldSubscriberSize = name.size();
    const Result result = f.subscribeNamed(&subscriber_, &heard, nullptr, &parameters);
    name.back() = '\0';
    holder = name.data();
    return result;
}

SessionState Session::open(const SessionOptions& options) {
    if (state() != SessionState::closed) return state();
    options_ = options;
    library_ = openLibrary(options.library);
    if (!library_) return fail(SessionState::unavailable, library_.error);
    const Functions& f = library_.functions;
    if (f.setThreadIdType != nullptr) f.setThreadIdType(kThreadIdSystem);
    std::string holder;
    if (const Result result = subscribe(holder); result != kSuccess) {
        std::string reason = describe(result, f);
        if (!holder.empty()) reason += fmt::format(", it calls itself '{}'", holder);
        return fail(result == kErrorMultipleSubscribers ? SessionState::occupied : SessionState::unavailable,
                    std::move(reason));
    }
    pool_ = std::make_unique<BufferPool>(std::clamp<std::size_t>(options.buffers, 1, BufferPool::kMostBuffers),
                                         options.bufferBytes);
    if (const Result result = f.registerCallbacks(&requested, &completed); result != kSuccess) {
        if (f.unsubscribe != nullptr) f.unsubscribe(subscriber_);
        return fail(SessionState::unavailable, describe(result, f));
    }
    message_ = fmt::format("CUPTI {} ({})", library_.version, library_.path);
    state_.store(SessionState::ready, std::memory_order_release);
    return SessionState::ready;
}

bool Session::enableKind(Kind kind, const char* name) {
    const Result result = library_.functions.enable(kind);
    if (result == kSuccess) return true;
    if (kind == Kind::concurrentKernel) message_ = describe(result, library_.functions);
    if (std::find(refusedKinds_.begin(), refusedKinds_.end(), name) == refusedKinds_.end()) {
        refusedKinds_.emplace_back(name);
    }
    return false;
}

void Session::switchApi(bool on) {
    const Functions& f = library_.functions;
    const auto flag = static_cast<std::uint8_t>(on ? 1 : 0);
    // Without the switch for single functions every call would come, some seven rows a kernel: better none.
    if (f.enableRuntimeApi == nullptr || f.enableDriverApi == nullptr) {
        if (on && refusedKinds_.empty()) refusedKinds_.emplace_back("launches");
        return;
    }
    for (const auto& function : kRuntimeFunctions) f.enableRuntimeApi(function.id, flag);
    for (const auto& function : kDriverFunctions) f.enableDriverApi(function.id, flag);
}

bool Session::enable() {
    if (state() != SessionState::ready) return false;
    if (enabled()) return true;
    if (!enableKind(Kind::concurrentKernel, "kernels")) return false;
    enableKind(Kind::device, "devices");
    enableKind(Kind::overhead, "overhead");
    enableKind(Kind::externalCorrelation, "external correlation");
    if (options_.copies) {
        enableKind(Kind::memcpy, "copies");
        enableKind(Kind::memset, "memsets");
    }
    if (options_.synchronization) {
        if (library_.functions.enableEventTimestamps != nullptr) library_.functions.enableEventTimestamps(1);
        enableKind(Kind::synchronization, "synchronization");
        enableKind(Kind::cudaEvent, "CUDA events");
    }
    if (options_.launches) switchApi(true);
    enabled_.store(true, std::memory_order_release);
    return true;
}

void Session::disable() {
    if (state() != SessionState::ready || !enabled()) return;
    if (options_.launches) switchApi(false);
    for (const Kind kind : {Kind::cudaEvent, Kind::synchronization, Kind::memset, Kind::memcpy,
                            Kind::externalCorrelation, Kind::overhead, Kind::device, Kind::concurrentKernel}) {
        if (kind == Kind::concurrentKernel && library_.version < kDisablingKernelsIsSafe) continue;
        library_.functions.disable(kind);
    }
    enabled_.store(false, std::memory_order_release);
}

Buffer* Session::extraBuffer() {
    auto made = std::make_unique<Buffer>();
    std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[options_.bufferBytes]);
    made->bytes = memory.get();
    made->size = options_.bufferBytes;
    for (auto& place : extras_) {
        Buffer* none = nullptr;
        if (!place.compare_exchange_strong(none, made.get())) continue;
        static_cast<void>(memory.release());
        return made.release();
    }
    return nullptr;
}

Buffer* Session::findExtra(const std::uint8_t* bytes, bool forget) {
    for (auto& place : extras_) {
        Buffer* buffer = place.load();
        if (buffer == nullptr || buffer->bytes != bytes) continue;
        if (forget) place.store(nullptr);
        return buffer;
    }
    return nullptr;
}

void Session::requested(std::uint8_t** bytes, std::size_t* size, std::size_t* maxRecords) {
    Session& session = instance();
    *bytes = nullptr;
    *size = 0;
    *maxRecords = 0;
    if (session.state() != SessionState::ready) return;
    Buffer* buffer = session.pool_->take();
    if (buffer == nullptr) {
        session.buffersRefused_.fetch_add(1, std::memory_order_relaxed);
        if (session.library_.version >= kRefusalIsSafe) return;
        try {
            buffer = session.extraBuffer();
        } catch (...) {  // out of memory for the copies of names
        }
        if (buffer == nullptr) return;
    }
    *bytes = buffer->bytes;
    *size = buffer->size;
}

void Session::keepNames(Buffer& buffer) {
    std::uint8_t* record = nullptr;
    while (library_.functions.nextRecord(buffer.bytes, buffer.validSize, &record) == kSuccess && record != nullptr) {
        RecordView view(record, std::min(recordSize(RecordView(record, sizeof(std::uint32_t)).kind(), library_.version),
                                         static_cast<std::size_t>(buffer.bytes + buffer.validSize - record)));
        if (view.size() < sizeof(std::uint32_t)) continue;
        const auto field = nameField(view.kind());
        if (!field) continue;
        const auto* name = reinterpret_cast<const char*>(view.get(*field).value_or(0));
        if (name == nullptr) continue;
        const char* copied = buffer.names.copy(name);
        if (copied == nullptr) namesLost_.fetch_add(1, std::memory_order_relaxed);
        view.set(*field, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(copied)));
    }
}

void Session::completed(Context context, std::uint32_t stream, std::uint8_t* bytes, std::size_t,
                        std::size_t validSize) {
    Session& session = instance();
    if (bytes == nullptr || session.state() != SessionState::ready) return;
    Buffer* buffer = session.pool_->find(bytes);
    if (buffer == nullptr) {
        buffer = session.findExtra(bytes, false);
    }
    if (buffer == nullptr) {  // of a tool that had CUPTI before us
        session.foreignBuffers_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    buffer->validSize = std::min(validSize, buffer->size);
    buffer->context = context;
    buffer->stream = stream;
    session.keepNames(*buffer);
    session.pool_->complete(buffer);
}

void Session::flush(bool forced) {
    if (state() == SessionState::ready) library_.functions.flushAll(forced ? kFlushForced : 0);
}

std::int64_t Session::drain(ActivitySink& sink) {
    if (state() != SessionState::ready) return 0;
    const Functions& f = library_.functions;
    std::int64_t records = 0;
    for (Buffer* buffer = pool_->takeCompleted(); buffer != nullptr;) {
        std::uint8_t* record = nullptr;
        while (f.nextRecord(buffer->bytes, buffer->validSize, &record) == kSuccess && record != nullptr) {
            const auto left = static_cast<std::size_t>(buffer->bytes + buffer->validSize - record);
            const std::size_t known = recordSize(RecordView(record, sizeof(std::uint32_t)).kind(), library_.version);
            decode(RecordView(record, std::clamp(known, sizeof(std::uint32_t), left)), sink);
            ++records;
        }
        std::size_t dropped = 0;
        if (f.droppedRecords(buffer->context, buffer->stream, &dropped) == kSuccess) {
            dropped_ += static_cast<std::int64_t>(dropped);
        }
        Buffer* next = buffer->next;
        if (pool_->find(buffer->bytes) != nullptr) {
            pool_->giveBack(buffer);
        } else if (findExtra(buffer->bytes, true) != nullptr) {
            delete[] buffer->bytes;
            delete buffer;
        }
        buffer = next;
    }
    std::size_t dropped = 0;  // also those for which there was no buffer at all
    if (f.droppedRecords(nullptr, 0, &dropped) == kSuccess) dropped_ += static_cast<std::int64_t>(dropped);
    return records;
}

std::uint64_t Session::timestamp() const {
    std::uint64_t now = 0;
    return library_.functions.getTimestamp(&now) == kSuccess ? now : 0;
}

SessionLosses Session::losses() const {
    return {dropped_, buffersRefused_.load(), namesLost_.load(), foreignBuffers_.load()};
}

}  // namespace orrery::cupti
