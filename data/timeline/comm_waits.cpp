#include "data/timeline/comm_waits.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace orrery {
namespace {

using Rows = std::vector<std::size_t>;

/// Rows by (rank, start): the order in which each rank issued them.
Rows issueOrder(const std::vector<CommRecord>& records) {
    Rows order(records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(records[a].rank, records[a].start) < std::tie(records[b].rank, records[b].start);
    });
    return order;
}

void transferWaits(const std::vector<CommRecord>& records, const Rows& order, std::vector<std::int64_t>& waits) {
    struct Ends {
        Rows sends, receives;
    };
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, Phase, std::int64_t>;  // from, to, step, ...
    std::map<Key, Ends> transfers;
    for (const auto row : order) {
        const auto& record = records[row];
        if (record.end == CommEnd::collective || record.peer < 0) continue;
        const bool sends = record.end == CommEnd::send;
        const std::int64_t from = sends ? record.rank : record.peer;
        const std::int64_t to = sends ? record.peer : record.rank;
        auto& ends = transfers[{from, to, record.step, record.phase, record.microBatch}];
        (sends ? ends.sends : ends.receives).push_back(row);
    }
    for (const auto& [key, ends] : transfers) {
        for (std::size_t k = 0; k < std::min(ends.sends.size(), ends.receives.size()); ++k) {
            const auto& send = records[ends.sends[k]];
            const auto& receive = records[ends.receives[k]];
            waits[ends.receives[k]] = std::clamp<std::int64_t>(send.start - receive.start, 0, receive.duration);
            const bool blocked = send.start + send.duration > receive.start;
            if (blocked) waits[ends.sends[k]] = std::clamp<std::int64_t>(receive.start - send.start, 0, send.duration);
        }
    }
}

void collectiveWaits(const std::vector<CommRecord>& records, const Rows& order, int worldSize,
                     std::vector<std::int64_t>& waits) {
    using Key = std::tuple<OpClass, std::int64_t, std::int64_t, Phase, std::int64_t, int>;
    std::map<Key, Rows> groups;
    for (const auto row : order) {
        const auto& record = records[row];
        if (record.end != CommEnd::collective || record.groupSize < 2) continue;
        const int stage = record.groupSize == worldSize ? -1 : record.stage;
        groups[{record.cls, record.groupSize, record.step, record.phase, record.sequence, stage}].push_back(row);
    }
    for (const auto& [key, rows] : groups) {
        if (static_cast<std::int64_t>(rows.size()) != std::get<1>(key)) continue;
        std::int64_t lastArrival = records[rows.front()].start;
        for (const auto row : rows) lastArrival = std::max(lastArrival, records[row].start);
        for (const auto row : rows) {
            waits[row] = std::clamp<std::int64_t>(lastArrival - records[row].start, 0, records[row].duration);
        }
    }
}

}  // namespace

std::vector<std::int64_t> commWaits(const std::vector<CommRecord>& records, int worldSize) {
    std::vector<std::int64_t> waits(records.size(), 0);
    const Rows order = issueOrder(records);
    transferWaits(records, order, waits);
    collectiveWaits(records, order, worldSize, waits);
    return waits;
}

}  // namespace orrery
