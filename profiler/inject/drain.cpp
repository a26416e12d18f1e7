#include "profiler/inject/drain.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

constexpr std::int64_t kClockPeriod = 1'000'000'000;
/// A range open for this long gets a row of its own, so that it is seen if the process dies inside it.
constexpr std::int64_t kOpenRangeAge = 1'000'000'000;

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
    const std::filesystem::path file = claimProfileFile(settings_.directory);
    writer_.emplace(file, WriteMode::live);
    RankRow rank;
    rank.file = file.filename().string();
    rank.source = "orrery";
    rank.rank = settings_.rank;
    rank.worldSize = settings_.worldSize;
    rank.host = hostName();
    rank.pid = ::getpid();
    const ClockSampleRow clocks = sampleClocks(0);
    rank.baseTime = clocks.realtime - clocks.profile;
    rankId_ = writer_->addRank(rank);
    if (!settings_.session.empty()) writer_->addMetadata(rankId_, kSessionKey, settings_.session);
    assembler_.emplace(*writer_, rankId_);
}

void Drain::add(std::vector<std::shared_ptr<ThreadChannel>> channels) {
    for (auto& channel : channels) channels_.push_back({nextSerial_++, std::move(channel)});
}

double Drain::pass(bool last) {
    std::size_t waiting = 0;
    double fill = 0;
    for (auto& [serial, channel] : channels_) {
        const bool ended = channel->ended.load(std::memory_order_acquire);
        const std::size_t bytes = channel->ring.drain([&, id = serial](std::span<const std::byte> record) {
            assembler_->consume({id, channel->thread}, record);
        });
        waiting += bytes;
        fill = std::max(fill, static_cast<double>(bytes) / static_cast<double>(channel->ring.capacity()));
        if (!ended) continue;
        assembler_->endThread(serial);
        addLosses(ofEndedThreads_, *channel);
        channel.reset();
    }
    std::erase_if(channels_, [](const Channel& entry) { return entry.channel == nullptr; });

    const std::int64_t now = monotonicNow();
    bool dirty = assembler_->endPass(now, last ? 0 : kOpenRangeAge) || waiting > 0;
    if (now >= nextClock_ || last) {
        writer_->addClockSample(sampleClocks(rankId_));
        nextClock_ = now + kClockPeriod;
        dirty = true;
    }
    dirty |= writeLosses();
    dirty |= writeThreadNames();
    if (dirty) writer_->commit();
    return fill;
}

void Drain::close() {
    // No indexes: the importer reads the file once, and the program waits for us at its exit.
    assembler_.reset();
    writer_.reset();
}

bool Drain::writeLosses() {
    auto losses = ofEndedThreads_;
    for (const auto& entry : channels_) addLosses(losses, *entry.channel);
    for (const auto& [kind, count] : assembler_->losses()) losses[kind] += count;
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
