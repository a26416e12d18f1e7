#include <algorithm>
#include <map>
#include <tuple>

#include "data/samples/range_samples.hpp"

namespace orrery::profile_samples {
namespace {

using Ranges = std::vector<const CommRange*>;

CollectiveSample sampleOf(OpClass kind, int ranks, std::int64_t bytes, std::int64_t nanoseconds,
                          const SampleOptions& options, const std::string& source) {
    CollectiveSample sample;
    sample.device = options.device;
    sample.kind = kind;
    sample.ranks = ranks;
    sample.link = options.link;
    sample.bytes = Bytes(static_cast<double>(bytes));
    sample.time = fromNanoseconds(nanoseconds);
    sample.source = source;
    return sample;
}

/// A transfer costs from when both ends are there until the receiver has it.
void pairTransfers(const std::vector<CommRange>& comms, const SampleOptions& options, const std::string& source,
                   ProfileSamples& out) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Key, std::pair<Ranges, Ranges>> transfers;  // (step, micro-batch, phase, sender, receiver)
    for (const CommRange& c : comms) {
        if (c.cls != OpClass::sendRecv) continue;
        const std::int64_t sender = c.isSend ? c.rank : c.peer;
        const std::int64_t receiver = c.isSend ? c.peer : c.rank;
        auto& ends = transfers[{c.step, c.microBatch, c.phase, sender, receiver}];
        (c.isSend ? ends.first : ends.second).push_back(&c);
    }
    for (const auto& [key, ends] : transfers) {
        const auto& [sends, receives] = ends;
        if (sends.size() != receives.size()) {
            out.skipped["transfer without its other end"] += static_cast<int>(std::max(sends.size(), receives.size()));
            continue;
        }
        for (std::size_t i = 0; i < sends.size(); ++i) {  // several chunks of one micro-batch travel in order
            const std::int64_t time = receives[i]->end - std::max(sends[i]->start, receives[i]->start);
            if (time <= 0) {
                ++out.skipped["transfer that ends before both ends are there (clocks)"];
                continue;
            }
            out.samples.collectives.push_back(
                sampleOf(OpClass::sendRecv, 2, receives[i]->bytes, time, options, source));
        }
    }
}

/// Members of one collective carry the same sequence number; groups that run the same sequence side by side are told
/// apart by their ends, which a collective makes nearly equal.
void joinCollectives(const std::vector<CommRange>& comms, const SampleOptions& options, const std::string& source,
                     ProfileSamples& out) {
    using Key = std::tuple<OpClass, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Key, Ranges> collectives;
    for (const CommRange& c : comms) {
        if (c.cls == OpClass::sendRecv || c.groupSize < 2) continue;
        collectives[{c.cls, c.step, c.sequence, c.bytes, c.groupSize}].push_back(&c);
    }
    for (auto& [key, members] : collectives) {
        const auto size = static_cast<std::size_t>(std::get<4>(key));
        if (members.size() % size != 0) {
            out.skipped["collective that not all members recorded"] += static_cast<int>(members.size());
            continue;
        }
        std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->end < b->end; });
        for (std::size_t first = 0; first < members.size(); first += size) {
            std::int64_t lastStart = members[first]->start;
            for (std::size_t i = first; i < first + size; ++i) lastStart = std::max(lastStart, members[i]->start);
            const std::int64_t time = members[first + size - 1]->end - lastStart;
            if (time <= 0) {
                ++out.skipped["collective that ends before all members are there (clocks)"];
                continue;
            }
            out.samples.collectives.push_back(
                sampleOf(std::get<0>(key), static_cast<int>(size), std::get<3>(key), time, options, source));
        }
    }
}

}  // namespace

void pairComms(const std::vector<CommRange>& comms, const SampleOptions& options, const std::string& source,
               ProfileSamples& out) {
    pairTransfers(comms, options, source, out);
    joinCollectives(comms, options, source, out);
}

}  // namespace orrery::profile_samples
