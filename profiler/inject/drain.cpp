#include "profiler/inject/drain.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/gpu_recording.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

constexpr std::int64_t kClockPeriod = 1'000'000'000;
/// Taken from a ring in one pass: some 10'000 ranges, tens of milliseconds. A fork() waits no longer than a pass.
constexpr std::size_t kPassBytes = std::size_t{1} << 20U;
/// A ring this full is emptied again at once instead of after the drain period.
constexpr std::size_t kBusyShare = 4;

void addLosses(std::map<std::string, std::int64_t>& losses, const ThreadChannel& channel) {
    const auto get = [](const std::atomic<std::int64_t>& count) { return count.load(std::memory_order_relaxed); };
    losses["queue_overflow"] += get(channel.rangesDropped);
    losses["end_lost"] += get(channel.endsDropped);
    losses["too_deep"] += get(channel.tooDeep);
    losses["payload_too_large"] += get(channel.payloadsTooLarge);
    losses["pop_without_push"] += get(channel.popsWithoutPush);
}

}  // namespace

void Drain::open() {
    std::filesystem::create_directories(settings_.directory);
    openFile(1);
    assembler_.emplace(*writer_, rankId_);
    if (!settings_.capture.controlled()) return;
    control_.emplace(settings_.capture, monotonicNow());
    assembler_->obey(*control_);
    recording_ = control_->on();
    std::string error;
    if (settings_.capture.socket && !socket_.listen(error)) {
        std::fprintf(stderr, "orrery: process %d takes no commands: %s\n", ::getpid(), error.c_str());
    }
}

void Drain::openFile(int part) {
    file_ = claimProfileFile(settings_.directory, part);
    writer_.emplace(file_, WriteMode::live);
    RankRow rank;
    rank.file = file_.filename().string();
    rank.source = "orrery";
    rank.rank = settings_.rank;
    rank.worldSize = settings_.worldSize;
    rank.host = hostName();
    rank.pid = ::getpid();
    const ClockSampleRow clocks = sampleClocks(0);
    rank.baseTime = clocks.realtime - clocks.profile;
    rankId_ = writer_->addRank(rank);
    if (!settings_.session.empty()) writer_->addMetadata(rankId_, kSessionKey, settings_.session);
    written_.clear();
    nextClock_ = 0;
    writtenOverhead_.reset();
}

void Drain::add(std::vector<std::shared_ptr<ThreadChannel>> channels) {
    for (auto& channel : channels) channels_.push_back({nextSerial_++, std::move(channel)});
}

bool Drain::pass(bool last) {
    assembler_->beginPass(monotonicNow());
    bool dirty = false;
    bool hurry = false;
    bool emptied = true;
    for (auto& [serial, channel] : channels_) {
        const bool ended = channel->ended.load(std::memory_order_acquire);
        const auto visit = [&, id = serial](std::span<const std::byte> record) {
            assembler_->consume({id, channel->thread}, record);
        };
        const RingBuffer::Drained bytes = last ? channel->ring.drain(visit) : channel->ring.drain(visit, kPassBytes);
        dirty |= bytes.waiting > 0;
        emptied &= bytes.left == 0;
        hurry |= bytes.left > 0 || bytes.waiting > channel->ring.capacity() / kBusyShare;
        if (!ended || bytes.left > 0) continue;
        assembler_->endThread(serial);
        addLosses(ofEndedThreads_, *channel);
        channel.reset();
    }
    std::erase_if(channels_, [](const Channel& entry) { return entry.channel == nullptr; });

    const std::int64_t now = monotonicNow();
    dirty |= assembler_->endPass(now, emptied, last);
    if (!gpu_ && gpuStarted()) {
        gpu_.emplace(*writer_, rankId_, settings_);
        if (control_) gpu_->obey(*control_);
        if (control_) gpu_->record(recording_);
    }
    if (gpu_) dirty |= gpu_->pass(now, last);
    if (now >= nextClock_ || last) {
        writer_->addClockSample(sampleClocks(rankId_));
        nextClock_ = now + kClockPeriod;
        dirty = true;
    }
    if (control_) dirty |= control(now, last);
    dirty |= writeLosses();
    dirty |= writeThreadNames();
    if (dirty) writer_->commit();
    if (!last && settings_.capture.rotate && fileBytes() >= *settings_.capture.rotate) rotate();
    return hurry;
}

void Drain::close() {
    // No indexes: the importer reads the file once, and the program waits for us at its exit.
    socket_.close();
    assembler_.reset();
    gpu_.reset();
    writer_.reset();
}

bool Drain::writeLosses() {
    auto losses = ofEndedThreads_;
    for (const auto& entry : channels_) addLosses(losses, *entry.channel);
    for (const auto& [kind, count] : assembler_->losses()) losses[kind] += count;
    if (gpu_) {
        for (const auto& [kind, count] : gpu_->losses()) losses[kind] += count;
    }
    bool changed = false;
    for (const auto& [kind, count] : losses) {
        const auto known = written_.find(kind);
        if (known != written_.end() && known->second == count) continue;
        writer_->setLoss(rankId_, kind, count);
        written_[kind] = count;
        changed = true;
    }
    return changed;
}

bool Drain::writeThreadNames() {
    const auto names = Names::instance().takeThreadNames();
    for (const auto& [thread, name] : names) writer_->addThread(rankId_, thread, cleanUtf8(name));
    return !names.empty();
}

}  // namespace orrery::inject
