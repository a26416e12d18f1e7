// CUPTI in this process: subscribed once, recording switched on and off, its buffers handed on. Never finalised: that
// is known to crash programs that use CUDA graphs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/cupti/activity.hpp"
#include "profiler/cupti/buffer_pool.hpp"
#include "profiler/cupti/library.hpp"

namespace orrery::cupti {

struct SessionOptions {
    std::string library;       ///< path of libcupti; empty: look for it
    std::size_t buffers = 16;  ///< at most BufferPool::kMostBuffers
    std::size_t bufferBytes = std::size_t{2} << 20U;
    bool copies = true;           ///< copies and memsets beside kernels
    bool launches = true;         ///< API calls that launch or wait
    bool synchronization = true;  ///< synchronisation and CUDA events
};

enum class SessionState { closed, ready, occupied, unavailable };

/// Counts since the start of the process.
struct SessionLosses {
    std::int64_t dropped = 0;         ///< records that CUPTI says it dropped
    std::int64_t buffersRefused = 0;  ///< requests that found the pool empty
    std::int64_t namesLost = 0;       ///< kernels whose name found no room
    std::int64_t foreignBuffers = 0;  ///< completed buffers that are not ours: another tool's
};

class Session {
  public:
    /// Never destroyed: CUPTI may call in until the process is gone.
    static Session& instance();

    /// Opens the library, subscribes and registers the buffers. Once, before the program's first CUDA call if possible.
    SessionState open(const SessionOptions& options);
    [[nodiscard]] SessionState state() const { return state_.load(std::memory_order_acquire); }
    /// One line: what is recorded, or why nothing is.
    [[nodiscard]] const std::string& message() const { return message_; }
    [[nodiscard]] const Library& library() const { return library_; }

    /// Kinds that the library or the device refuses are left out and named in `refusedKinds`. False: kernels were
    /// refused, nothing is recorded; message() says why.
    bool enable();
    /// Where disabling kernel records is not safe they stay on: their records still come, for the client to leave out.
    void disable();
    [[nodiscard]] bool enabled() const { return enabled_.load(std::memory_order_acquire); }
    [[nodiscard]] const std::vector<std::string>& refusedKinds() const { return refusedKinds_; }

    // For one thread, ours: none of these may run in a thread of the program.
    /// Makes CUPTI hand out what is complete; forced: also buffers with records that are not, for the end.
    void flush(bool forced);
    /// Decodes all buffers that came back since, into the sink. Returns the number of records.
    std::int64_t drain(ActivitySink& sink);
    /// CUPTI's clock, now; 0: it cannot be read.
    [[nodiscard]] std::uint64_t timestamp() const;
    [[nodiscard]] SessionLosses losses() const;

    /// In a fork()ed child, which shares neither the driver's state nor the buffers: nothing is recorded or touched.
    void abandon() { state_.store(SessionState::closed); }

  private:
    static void requested(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords);
    static void completed(Context context, std::uint32_t stream, std::uint8_t* bytes, std::size_t size,
                          std::size_t validSize);
    Result subscribe(std::string& holder);
    void keepNames(Buffer& buffer);
    SessionState fail(SessionState state, std::string message);
    bool enableKind(Kind kind, const char* name);
    void switchApi(bool on);
    Buffer* extraBuffer();
    Buffer* findExtra(const std::uint8_t* bytes, bool forget);

    SessionOptions options_;
    Library library_;
    std::unique_ptr<BufferPool> pool_;
    Subscriber subscriber_ = nullptr;
    std::string message_;
    std::vector<std::string> refusedKinds_;
    std::atomic<SessionState> state_{SessionState::closed};
    std::atomic<bool> enabled_{false};
    std::atomic<std::int64_t> buffersRefused_{0}, namesLost_{0}, foreignBuffers_{0};
    std::array<std::atomic<Buffer*>, 128> extras_{};  ///< made when the pool was empty and refusing is not safe
    std::int64_t dropped_ = 0;
};

}  // namespace orrery::cupti
