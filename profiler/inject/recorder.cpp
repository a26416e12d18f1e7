#include "profiler/inject/recorder.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/inject/drain.hpp"
#include "profiler/inject/process.hpp"

namespace orrery::inject {
Recorder::Recorder(Settings settings) : settings_(std::move(settings)), drain_(new Drain(settings_)) {}

void Recorder::start() {
    // The drain thread must not take signals meant for the program's own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread([this] { run(); }).detach();
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadChannel* Recorder::newChannel() {
    auto made = std::make_shared<ThreadChannel>(static_cast<std::int64_t>(::syscall(SYS_gettid)), settings_.ringBytes);
    const std::scoped_lock lock(arrivalsMutex_);
    arrivals_.push_back(made);
    return made.get();
}

bool Recorder::stop(std::chrono::milliseconds limit) {
    std::unique_lock lock(wakeMutex_);
    stopping_ = true;
    wake_.notify_all();
    return ended_.wait_for(lock, limit, [this] { return done_; });
}

/// A pass of the drain thread. Waits for fork()s: mutexes are not fair, and a busy drain thread would always win.
class Recorder::Turn {
  public:
    explicit Turn(Recorder& recorder) : recorder_(recorder) {
        std::unique_lock lock(recorder_.turnMutex_);
        recorder_.turn_.wait(lock, [this] { return recorder_.pausing_ == 0; });
        recorder_.working_ = true;
    }
    ~Turn() {
        {
            const std::scoped_lock lock(recorder_.turnMutex_);
            recorder_.working_ = false;
        }
        recorder_.turn_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    Recorder& recorder_;
};

bool Recorder::pause(std::chrono::milliseconds limit) {
    std::unique_lock lock(turnMutex_);
    ++pausing_;
    const bool paused = turn_.wait_for(lock, limit, [this] { return !working_; });
    --pausing_;
    if (!paused) {
        turn_.notify_all();
        return false;
    }
    lock.release();  // until resume(): the drain thread waits for the mutex
    arrivalsMutex_.lock();
    return true;
}

void Recorder::resume() {
    arrivalsMutex_.unlock();
    turnMutex_.unlock();
    turn_.notify_all();
}

void Recorder::run() {
    ignoreThisThread();  // the allocator or SQLite may be wrapped by code that marks ranges
    try {
        drainUntilStopped();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "orrery: recording of process %d stopped, what was committed stays readable: %s\n",
                     ::getpid(), error.what());
        recordingFailed();
    }
    const std::scoped_lock lock(wakeMutex_);
    done_ = true;
    ended_.notify_all();
}

void Recorder::drainUntilStopped() {
    {
        const Turn turn(*this);
        drain_->open();
    }
    bool last = false;
    while (true) {
        bool hurry = false;
        {
            const Turn turn(*this);
            {
                const std::scoped_lock lock(arrivalsMutex_);
                drain_->add(std::exchange(arrivals_, {}));
            }
            hurry = drain_->pass(last);
            if (last) drain_->close();
        }
        if (last) return;
        if (hurry) continue;
        std::unique_lock lock(wakeMutex_);
        wake_.wait_for(lock, std::chrono::milliseconds(settings_.drainMilliseconds), [this] { return stopping_; });
        last = stopping_;
    }
}

}  // namespace orrery::inject
