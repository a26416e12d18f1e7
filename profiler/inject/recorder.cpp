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
namespace {
/// A ring this full is emptied again at once instead of after the drain period.
constexpr double kBusyFill = 0.25;
}  // namespace

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

bool Recorder::pause(std::chrono::milliseconds limit) {
    if (!working_.try_lock_for(limit)) return false;
    arrivalsMutex_.lock();
    return true;
}

void Recorder::resume() {
    arrivalsMutex_.unlock();
    working_.unlock();
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
        const std::scoped_lock work(working_);
        drain_->open();
    }
    bool last = false;
    while (true) {
        double fill = 0;
        {
            const std::scoped_lock work(working_);
            {
                const std::scoped_lock lock(arrivalsMutex_);
                drain_->add(std::exchange(arrivals_, {}));
            }
            fill = drain_->pass(last);
            if (last) drain_->close();
        }
        if (last) return;
        std::unique_lock lock(wakeMutex_);
        if (fill < kBusyFill) {
            wake_.wait_for(lock, std::chrono::milliseconds(settings_.drainMilliseconds), [this] { return stopping_; });
        }
        last = stopping_;
    }
}

}  // namespace orrery::inject
