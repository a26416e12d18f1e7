#include "importers/chakra/stream_order.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/io/time_range.hpp"

namespace orrery::importers {
namespace {

using Lane = std::pair<int, std::int64_t>;

Lane laneOf(const ChakraNode& node) {
    if (node.isHost()) return {0, node.thread.value_or(0)};
    if (node.stream) return {1, *node.stream};
    return {communicates(node.kind) ? 3 : 2, 0};
}

std::int64_t capped(std::int64_t time) {
    return std::min(time, kLatestTime);
}

}  // namespace

StreamOrder addStreamOrder(ChakraGraph& graph) {
    StreamOrder order;
    const std::size_t count = graph.nodes.size();
    std::unordered_map<std::uint64_t, std::size_t> indexOf;
    for (std::size_t i = 0; i < count; ++i) indexOf.try_emplace(graph.nodes[i].id, i);
    std::vector<std::vector<std::size_t>> followers(count);
    std::vector<std::size_t> waitsFor(count, 0);
    const auto addEdge = [&](std::uint64_t id, std::size_t to) {
        const auto from = indexOf.find(id);
        if (from == indexOf.end()) {
            ++order.unknownDeps;
        } else if (from->second != to) {
            followers[from->second].push_back(to);
            ++waitsFor[to];
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        const ChakraNode& node = graph.nodes[i];
        for (const auto id : node.dataDeps) addEdge(id, i);
        // A host operator's control dependency is its caller, which is not over before it.
        if (!node.isHost()) {
            for (const auto id : node.controlDeps) addEdge(id, i);
        }
    }
    std::vector<std::int64_t> ready(count, 0);
    using Entry = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::size_t i = 0; i < count; ++i) {
        if (waitsFor[i] == 0) queue.emplace(0, i);
    }
    std::map<Lane, std::int64_t> freeAt;
    std::vector<bool> done(count, false);
    const auto place = [&](std::size_t i) {
        ChakraNode& node = graph.nodes[i];
        std::int64_t& free = freeAt[laneOf(node)];
        node.start = capped(std::max(ready[i], free));
        free = capped(*node.start + node.duration.value_or(0));
        done[i] = true;
        ++order.placed;
        return free;
    };
    while (!queue.empty()) {
        const std::size_t i = queue.top().second;
        queue.pop();
        const std::int64_t end = place(i);
        for (const auto next : followers[i]) {
            ready[next] = std::max(ready[next], end);
            if (--waitsFor[next] == 0) queue.emplace(ready[next], next);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (done[i]) continue;
        ++order.inCycles;
        static_cast<void>(place(i));
    }
    return order;
}

}  // namespace orrery::importers
