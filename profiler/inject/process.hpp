// When this process records: from its first event to its exit, anew after a fork, never again after a failure.
#pragma once

#include "profiler/inject/settings.hpp"
#include "profiler/inject/thread_channel.hpp"

namespace orrery::inject {

/// The calling thread's channel; made, with the recorder itself, at the first event. nullptr when this process or this
/// thread does not record (any more). Costs two loads after the first call.
ThreadChannel* currentChannel();

/// Makes the recorder without waiting for a first event. Its settings; nullptr when this process does not record.
const Settings* startRecorder();

/// Makes the calling thread invisible: its events are ignored from now on.
void ignoreThisThread();

/// Called by the drain thread when it cannot go on (disk full). Later events are only counted.
void recordingFailed();

/// Marks the calling thread as being inside the recorder. False when it already was: an allocator that marks ranges, or
/// a signal handler, called in from within; that event is refused.
class Entered {
  public:
    Entered();
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    explicit operator bool() const { return first_; }

  private:
    bool first_;
};

}  // namespace orrery::inject
