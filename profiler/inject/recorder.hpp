// The recorder of one process: the channels of its threads, and one drain thread that writes them to one profile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "profiler/inject/settings.hpp"
#include "profiler/inject/thread_channel.hpp"

namespace orrery::inject {

class Drain;

/// Never destroyed: threads of the program may write to their channels until the process is gone.
class Recorder {
  public:
    explicit Recorder(Settings settings);
    ~Recorder() = delete;

    /// Starts the drain thread, which opens the profile. Throws std::system_error when no thread can be had.
    void start();
    /// A channel for the calling thread. The drain thread frees it after it was marked `ended`.
    ThreadChannel* newChannel();

    [[nodiscard]] const Settings& settings() const { return settings_; }

    /// Asks for a last pass and waits for it. False when the limit passed first: storage that hangs must not hold the
    /// program up for ever.
    bool stop(std::chrono::milliseconds limit);

    /// Between the two the drain thread touches neither file nor channels, so that a fork() finds them at rest.
    /// pause() gives up after the limit and says so. A child does not resume: it abandons its copy.
    bool pause(std::chrono::milliseconds limit);
    void resume();

  private:
    void run();
    void drainUntilStopped();

    class Turn;

    const Settings settings_;
    std::mutex arrivalsMutex_;
    std::vector<std::shared_ptr<ThreadChannel>> arrivals_;  ///< channels the drain thread has not seen yet
    std::mutex turnMutex_;                                  ///< held from pause() to resume()
    std::condition_variable turn_;
    bool working_ = false;  ///< the drain thread is in a pass
    int pausing_ = 0;       ///< fork()s that wait for its end, and go first
    std::mutex wakeMutex_;
    std::condition_variable wake_, ended_;
    bool stopping_ = false, done_ = false;
    Drain* drain_ = nullptr;  ///< leaked with the recorder: it owns the channels
};

}  // namespace orrery::inject
