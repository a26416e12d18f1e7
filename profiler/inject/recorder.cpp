#include "profiler/inject/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "data/store/profile_writer.hpp"
#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/range_assembler.hpp"

namespace orrery::inject {
namespace {

constexpr std::int64_t kClockPeriod = 1'000'000'000;
constexpr std::int64_t kOpenRangeAge = 1'000'000'000;

/// The process's recorder. Never destroyed by a static destructor: the program may mark ranges until its very end.
struct Process {
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<std::uint32_t> generation{1};  ///< counts forks; a thread's channel belongs to one generation
    std::atomic<bool> finished{false};
    std::mutex creation;
};

Process& process() {
    static auto* state = new Process;
    return *state;
}

struct ThreadLocal {
    ThreadChannel* channel = nullptr;
    std::uint32_t generation = 0;
};
thread_local ThreadLocal threadLocal;

void beforeFork() {
    process().creation.lock();
    Names::instance().mutex().lock();
}
void afterForkInParent() {
    Names::instance().mutex().unlock();
    process().creation.unlock();
}
void afterForkInChild() {
    Names::instance().mutex().unlock();
    process().creation.unlock();
    // The parent's recorder, its file and its drain thread stay with the parent; the child's copy is abandoned as it
    // is.
    process().recorder.store(nullptr, std::memory_order_relaxed);
    process().generation.fetch_add(1, std::memory_order_relaxed);
}

void finishAtExit() {
    Process& state = process();
    const std::scoped_lock lock(state.creation);
    state.finished = true;
    if (Recorder* recorder = state.recorder.load()) recorder->finish();
}

std::int64_t currentThreadId() {
    return static_cast<std::int64_t>(::syscall(SYS_gettid));
}

}  // namespace

std::int64_t monotonicNow() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Recorder::Recorder(Settings settings) : settings_(std::move(settings)) {
    // The drain thread must not take signals meant for the program's own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    on_ = true;
    try {
        drainer_ = std::thread([this] { drainLoop(); });
    } catch (const std::exception& error) {
        on_ = false;
        std::fprintf(stderr, "orrery: not recording this process: %s\n", error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadChannel* Recorder::channel() {
    if (!on_.load(std::memory_order_relaxed)) return nullptr;
    const std::uint32_t generation = process().generation.load(std::memory_order_relaxed);
    if (threadLocal.channel == nullptr || threadLocal.generation != generation) {
        auto made = std::make_shared<ThreadChannel>(currentThreadId(), settings_.ringBytes);
        threadLocal = {made.get(), generation};
        const std::scoped_lock lock(channelsMutex_);
        channels_.push_back(std::move(made));
    }
    return threadLocal.channel;
}

void Recorder::finish() {
    {
        const std::scoped_lock lock(wakeMutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (drainer_.joinable()) drainer_.join();
}

void Recorder::drainLoop() {
    try {
        std::filesystem::create_directories(settings_.directory);
        ProfileWriter writer(settings_.directory / profileFileName(), WriteMode::live);
        RankRow rank;
        rank.file = profileFileName();
        rank.source = "orrery";
        rank.rank = settings_.rank;
        rank.worldSize = settings_.worldSize;
        rank.host = hostName();
        rank.pid = ::getpid();
        const std::int64_t rankId = writer.addRank(rank);
        RangeAssembler assembler(writer, rankId);

        std::int64_t nextClock = 0;
        bool last = false;
        std::vector<std::shared_ptr<ThreadChannel>> channels;
        while (true) {
            {
                const std::scoped_lock lock(channelsMutex_);
                channels = channels_;
            }
            std::int64_t dropped = 0;
            std::int64_t tooLarge = 0;
            for (const auto& channel : channels) {
                channel->ring.drain(
                    [&](std::span<const std::byte> bytes) { assembler.consume(channel->thread, bytes); });
                dropped += channel->dropped.load(std::memory_order_relaxed);
                tooLarge += channel->payloadsTooLarge.load(std::memory_order_relaxed);
            }
            const std::int64_t now = monotonicNow();
            assembler.writeLongOpen(now, last ? 0 : kOpenRangeAge);
            if (now >= nextClock || last) {
                writer.addClockSample(sampleClocks(rankId));
                nextClock = now + kClockPeriod;
            }
            writer.setLoss(rankId, "queue_overflow", dropped);
            writer.setLoss(rankId, "payload_too_large", tooLarge);
            writer.setLoss(rankId, "payload_undecoded", assembler.undecodedPayloads());
            writer.setLoss(rankId, "pop_without_push", assembler.popsWithoutPush());
            if (last) {
                for (const auto& [thread, name] : Names::instance().threadNames())
                    writer.addThread(rankId, thread, name);
                writer.commit();
                break;
            }
            writer.commit();
            std::unique_lock lock(wakeMutex_);
            wake_.wait_for(lock, std::chrono::milliseconds(settings_.drainMilliseconds), [this] { return stopping_; });
            last = stopping_;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "orrery: recording of process %d stopped: %s\n", ::getpid(), error.what());
    }
    on_ = false;
}

Recorder* currentRecorder() {
    Process& state = process();
    if (Recorder* recorder = state.recorder.load(std::memory_order_acquire)) return recorder;
    if (state.finished.load(std::memory_order_relaxed)) return nullptr;
    const std::scoped_lock lock(state.creation);
    if (Recorder* recorder = state.recorder.load()) return recorder;
    if (state.finished) return nullptr;
    static std::once_flag hooks;
    std::call_once(hooks, [] {
        pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
        std::atexit(finishAtExit);
    });
    auto* made = new Recorder(settingsFromEnvironment());
    state.recorder.store(made, std::memory_order_release);
    return made;
}

void record(Event event, const char* text, const void* payload) noexcept {
    try {
        Recorder* recorder = currentRecorder();
        ThreadChannel* channel = recorder != nullptr ? recorder->channel() : nullptr;
        if (channel == nullptr) return;
        if (event.payloadSize > kMaxPayload) {
            channel->payloadsTooLarge.fetch_add(1, std::memory_order_relaxed);
            event.payloadSize = 0;
            event.schemaId = 0;
        }
        const std::size_t size = RingBuffer::rounded(sizeof(event) + event.textSize + event.payloadSize);
        std::byte* place = channel->ring.reserve(size);
        if (place == nullptr) {
            channel->dropped.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        std::memcpy(place, &event, sizeof(event));
        if (event.textSize != 0) std::memcpy(place + sizeof(event), text, event.textSize);
        if (event.payloadSize != 0) std::memcpy(place + sizeof(event) + event.textSize, payload, event.payloadSize);
        channel->ring.commit(size);
    } catch (...) {  // out of memory for a new channel: this event is lost, the program goes on
    }
}

}  // namespace orrery::inject
