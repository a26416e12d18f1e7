#include "importers/chakra/chakra_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "importers/chakra/stream_order.hpp"
#include "importers/collectives/nccl_kernel.hpp"

namespace orrery::importers {
namespace {

class Rows {
  public:
    Rows(const ChakraGraph& graph, const std::string& file, ProfileWriter& out) : out_(out) {
        RankRow rank;
        rank.file = file;
        rank.source = "chakra";
        rank.rank = graph.rank;
        rank.worldSize = graph.worldSize;
        rank.pid = graph.pid;
        rankId_ = out_.addRank(rank);
        static const std::array kFields{PayloadField{"id", "int64"},          PayloadField{"type", "text"},
                                        PayloadField{"data_deps", "text"},    PayloadField{"control_deps", "text"},
                                        PayloadField{"bytes", "int64"},       PayloadField{"source", "int64"},
                                        PayloadField{"destination", "int64"}, PayloadField{"tag", "int64"}};
        schema_ = out_.addPayloadSchema(std::nullopt, "chakra.node", kFields);
        for (const auto& group : graph.groups) {
            groups_[group.name] = out_.addProcessGroup(rankId_, group.name, group.description, group.size, group.ranks);
        }
        deviceCommunicates_ = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ChakraNode& node) {
            return !node.isHost() && communicates(node.kind);
        });
        if (!graph.version.empty()) out_.addMetadata(rankId_, "chakra.version", graph.version);
        out_.addMetadata(rankId_, "chakra.nodes", std::to_string(graph.nodes.size()));
    }

    void add(const ChakraNode& node) {
        addRange(node);
        const OpClass cls = node.opClass();
        // The host's call and the kernel it launches are both nodes; the kernel is the one that counts.
        const bool communicating = communicates(node.kind) || (!node.isHost() && isCollective(cls));
        const bool collective = communicating && (!node.isHost() || !deviceCommunicates_);
        const auto id = collective ? std::optional(addCollective(node, cls)) : std::nullopt;
        if (node.isHost() || !node.duration || node.kind == ChakraKind::metadata) return;
        KernelRow kernel;
        kernel.rankId = rankId_;
        kernel.stream = streamOf(node);
        kernel.start = node.start.value_or(0);
        kernel.duration = *node.duration;
        kernel.nameId = out_.string(node.name);
        kernel.cls = cls;
        kernel.collectiveId = id;
        out_.addKernel(kernel);
        streams_.insert(kernel.stream);
    }

    void finish() {
        if (!streams_.empty()) out_.addDevice(rankId_, 0, "");
        for (const auto stream : streams_) out_.addStream(rankId_, 0, stream, "");
    }

  private:
    /// Where a trace names no stream: computation on 0, communication on 1.
    static std::int64_t streamOf(const ChakraNode& node) {
        return node.stream.value_or(communicates(node.kind) ? 1 : 0);
    }

    void addRange(const ChakraNode& node) {
        RangeRow range;
        range.rankId = rankId_;
        range.thread = node.isHost() ? node.thread.value_or(0) : streamOf(node);
        range.start = node.start.value_or(0);
        range.duration = node.duration;
        range.kind = RangeKind::startEnd;
        range.nameId = out_.string(node.name);
        range.categoryId = out_.string(node.isHost() ? "chakra.host" : "chakra.device");
        PayloadRow payload{out_.addRange(range), schema_, {}};
        payload.values.resize(8);
        payload.values[0] = static_cast<std::int64_t>(node.id);
        payload.values[1] = std::string(name(node.kind));
        if (!node.dataDeps.empty()) payload.values[2] = fmt::format("{}", fmt::join(node.dataDeps, ","));
        if (!node.controlDeps.empty()) payload.values[3] = fmt::format("{}", fmt::join(node.controlDeps, ","));
        if (const auto bytes = node.messageBytes()) payload.values[4] = *bytes;
        if (node.source) payload.values[5] = *node.source;
        if (node.destination) payload.values[6] = *node.destination;
        if (node.tag) payload.values[7] = *node.tag;
        out_.addPayload(payload);
    }

    std::int64_t addCollective(const ChakraNode& node, OpClass cls) {
        CollectiveRow row;
        row.rankId = rankId_;
        row.kind = cls;
        row.bytes = node.messageBytes();
        row.groupSize = node.groupSize;
        row.dtype = node.dtype;
        const NcclKernel kernel = ncclKernel(node.name);
        row.algorithm = kernel.algorithm;
        row.protocol = kernel.protocol;
        row.sequence = node.sequence;
        if (node.kind == ChakraKind::send) row.peer = node.destination;
        if (node.kind == ChakraKind::receive) row.peer = node.source;
        if (!node.group.empty()) {
            const auto [entry, fresh] = groups_.try_emplace(node.group);
            if (fresh)
                entry->second = out_.addProcessGroup(rankId_, node.group, node.groupDescription, node.groupSize, "");
            row.groupId = entry->second;
        }
        if (node.duration) {
            row.start = node.start;
            row.duration = node.duration;
        }
        return out_.addCollective(row);
    }

    ProfileWriter& out_;
    std::int64_t rankId_ = 0, schema_ = 0;
    bool deviceCommunicates_ = false;
    std::map<std::string, std::int64_t> groups_;
    std::set<std::int64_t> streams_;
};

void placeInTime(ChakraGraph& graph, std::vector<Warning>& warnings) {
    const auto note = [&](std::string text, std::int64_t count) { warnings.push_back({std::move(text), count, true}); };
    const auto timed = std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                     [](const ChakraNode& node) { return node.duration.has_value(); });
    const bool starts = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                    [](const ChakraNode& node) { return node.start.has_value(); });
    const auto all = std::ssize(graph.nodes);
    if (timed == 0 && !starts) {
        note(fmt::format("no times in it: {} nodes are kept as a graph, without a timeline", all), all);
        return;
    }
    if (timed < all)
        note(fmt::format("{} of {} nodes have no duration, which stays unknown", all - timed, all), all - timed);
    if (starts) return;
    const StreamOrder order = addStreamOrder(graph);
    note(fmt::format("no start times in it: {} nodes are placed by their dependencies and one at a time on each stream "
                     "(an order that the trace does not state)",
                     order.placed),
         order.placed);
    if (order.inCycles > 0)
        warnings.push_back({fmt::format("{} nodes wait for each other in a circle", order.inCycles), order.inCycles});
}

}  // namespace

void writeChakraGraph(ChakraGraph& graph, const std::string& file, ProfileWriter& out, std::vector<Warning>& warnings) {
    placeInTime(graph, warnings);
    Rows rows(graph, file, out);
    for (const auto& node : graph.nodes) rows.add(node);
    rows.finish();
}

}  // namespace orrery::importers
