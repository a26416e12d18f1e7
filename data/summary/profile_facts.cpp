#include "data/summary/profile_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include "data/catalog/kernel_rules.hpp"

namespace orrery {
namespace {

// Intervals are doubles on purpose. The reference facts that `orrery info` is held to are defined in double precision;
// at absolute unix times a double steps by 256 ns, so exact integers would differ from them by up to 128 ns a kernel.
using Interval = std::pair<double, double>;

std::int64_t whole(double ns) {
    return std::llround(ns);
}

/// Length of the union of intervals; sorts them.
double unionLength(std::vector<Interval>& intervals) {
    std::sort(intervals.begin(), intervals.end());
    double length = 0.0;
    double end = 0.0;
    bool any = false;
    for (const auto& [from, to] : intervals) {
        if (!any || from > end) {
            length += to - from;
            end = to;
            any = true;
        } else if (to > end) {
            length += to - end;
            end = to;
        }
    }
    return length;
}

struct DeviceRows {
    std::vector<Interval> all, comm, compute;
    std::set<std::int64_t> streams;
    double sum = 0.0;
    DeviceFacts facts;
};

struct NameFacts {
    bool comm = false;
    std::string kind;
};

DeviceFacts finish(DeviceRows& rows) {
    DeviceFacts& facts = rows.facts;
    facts.streams = std::ssize(rows.streams);
    if (!rows.all.empty()) {
        double first = rows.all.front().first;
        double last = rows.all.front().second;
        for (const auto& [from, to] : rows.all) {
            first = std::min(first, from);
            last = std::max(last, to);
        }
        facts.span = whole(last - first);
    }
    const double busy = unionLength(rows.all);
    facts.busy = whole(busy);
    facts.commBusy = whole(unionLength(rows.comm));
    // Time with communication and nothing else: what the union loses when communication is taken out.
    facts.exposedComm = whole(busy - unionLength(rows.compute));
    facts.sum = whole(rows.sum);
    return std::move(facts);
}

}  // namespace

double DeviceFacts::idlePercent() const {
    return span == 0 ? 0.0 : 100.0 * (1.0 - static_cast<double>(busy) / static_cast<double>(span));
}

std::string collectiveKind(std::string_view kernelName) {
    static constexpr std::array<std::string_view, 7> kKinds{"AllReduce", "AllGather", "ReduceScatter", "SendRecv",
                                                            "Broadcast", "AllToAll",  "Reduce"};
    for (const auto kind : kKinds) {
        if (kernelName.find(kind) != std::string_view::npos) return std::string(kind);
    }
    return "other";
}

std::vector<RankFacts> profileFacts(const Profile& profile) {
    std::vector<RankFacts> facts;
    std::map<std::int64_t, std::size_t> rankIndex;
    for (const auto& rank : profile.ranks()) {
        rankIndex[rank.id] = facts.size();
        facts.push_back({rank, 0, 0, 0, {}, {}, {}, {}, {}});
    }
    const auto factsOf = [&](std::int64_t rankId) -> RankFacts* {
        const auto found = rankIndex.find(rankId);
        return found == rankIndex.end() ? nullptr : &facts[found->second];
    };

    std::map<std::pair<std::int64_t, std::int64_t>, DeviceRows> devices;
    std::unordered_map<std::int64_t, NameFacts> names;
    profile.forEachKernel([&](const KernelView& kernel) {
        const auto [entry, fresh] = names.try_emplace(kernel.nameId);
        if (fresh) entry->second = {isCommunicationKernel(kernel.name), collectiveKind(kernel.name)};
        DeviceRows& rows = devices[{kernel.rankId, kernel.device}];
        const auto start = static_cast<double>(kernel.start);
        const Interval interval{start, start + static_cast<double>(kernel.duration)};
        rows.all.push_back(interval);
        rows.streams.insert(kernel.stream);
        ++rows.facts.kernels;
        rows.sum += interval.second - interval.first;
        if (entry->second.comm) {
            rows.comm.push_back(interval);
            ++rows.facts.commKernels;
            ++rows.facts.collectives[entry->second.kind];
        } else {
            rows.compute.push_back(interval);
        }
    });
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> deviceNames;
    for (const auto& device : profile.devices()) deviceNames[{device.rankId, device.device}] = device.name;
    for (auto& [key, rows] : devices) {
        rows.facts.device = key.second;
        rows.facts.name = deviceNames[key];
        if (RankFacts* rank = factsOf(key.first)) rank->devices.push_back(finish(rows));
    }

    profile.forEachCopy([&](const CopyView& copy) {
        if (copy.isMemset) return;
        if (RankFacts* rank = factsOf(copy.rankId)) rank->memcpyBytes += copy.bytes.value_or(0);
    });
    profile.forEachCollective([&](const CollectiveView& collective) {
        RankFacts* rank = factsOf(collective.rankId);
        if (rank != nullptr && rank->devices.empty()) ++rank->rangeCollectives[std::string(name(collective.kind))];
    });
    for (const auto& step : profile.steps()) {
        if (RankFacts* rank = factsOf(step.rankId)) ++rank->steps;
    }
    for (const auto& entry : profile.metadata()) {
        RankFacts* rank = entry.rankId ? factsOf(*entry.rankId) : nullptr;
        if (rank == nullptr) continue;
        if (entry.key == "clock") rank->clock = entry.value;
        if (entry.key.starts_with("gpu") || entry.key.starts_with("overhead") || entry.key.starts_with("capture")) {
            rank->recording[entry.key] = entry.value;
        }
    }
    for (const auto& loss : profile.losses()) {
        if (RankFacts* rank = factsOf(loss.rankId)) rank->losses[loss.kind] += loss.count;
    }
    for (const auto& [rankId, ranges] : profile.rangeCounts()) {
        if (RankFacts* rank = factsOf(rankId)) rank->ranges = ranges;
    }
    return facts;
}

}  // namespace orrery
