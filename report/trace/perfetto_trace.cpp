// Perfetto TrackEvent protobuf. Field numbers: perfetto's protos/perfetto/trace/{trace_packet,interned_data,
// track_event/track_event,track_event/track_descriptor,track_event/debug_annotation}.proto.
#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "report/text/escape.hpp"
#include "report/trace/lanes.hpp"
#include "report/trace/proto_writer.hpp"
#include "report/trace/sides.hpp"
#include "report/trace/write_timeline.hpp"

namespace orrery {
namespace {

namespace trace {
constexpr std::uint32_t kPacket = 1;
}
namespace packet {
constexpr std::uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                        kClockId = 58, kTrackDescriptor = 60, kFirstOnSequence = 87;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // sequence flags
constexpr std::uint64_t kBootTime = 6;                       // clock
}  // namespace packet
namespace descriptor {
constexpr std::uint32_t kUuid = 1, kName = 2, kParent = 5, kChildOrdering = 11, kSiblingRank = 12;
constexpr std::uint64_t kExplicitOrder = 3;
}  // namespace descriptor
namespace event {
constexpr std::uint32_t kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrack = 11, kFlow = 47,
                        kFlowEnd = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2;
}  // namespace event
namespace interned {
constexpr std::uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kIid = 1, kText = 2;
}
namespace annotation {
constexpr std::uint32_t kNameIid = 1, kInt = 4, kDouble = 5, kString = 6;
}

constexpr std::uint64_t kSequence = 1;
constexpr std::uint64_t kTopTrack = 1;

/// Ids of interned texts; new ones ride on the packet that uses them first.
class Interner {
  public:
    explicit Interner(std::uint32_t field) : field_(field) {}
    std::uint64_t id(std::string_view text, ProtoMessage& data) {
        const auto [found, isNew] = ids_.try_emplace(std::string(text), ids_.size() + 1);
        if (isNew) {
            ProtoMessage entry;
            entry.varint(interned::kIid, found->second).text(interned::kText, validUtf8(text));
            data.message(field_, entry);
        }
        return found->second;
    }

  private:
    std::uint32_t field_;
    std::unordered_map<std::string, std::uint64_t> ids_;
};

/// One begin or end, before sorting by time.
struct Edge {
    std::int64_t time = 0;
    bool begins = false;
    const Span* span = nullptr;
    const Timeline* timeline = nullptr;
    const std::optional<BothSides>* sides = nullptr;
    std::uint64_t track = 0, flowOut = 0, flowIn = 0;
};

class PerfettoWriter {
  public:
    std::string write(const std::vector<NamedTimeline>& timelines) {
        std::int64_t first = 0;
        for (const auto& named : timelines) first = std::min(first, named.timeline.extent().first);
        shift_ = -first;  // timestamps are unsigned
        ProtoMessage start;
        start.varint(packet::kSequenceFlags, packet::kStateCleared).varint(packet::kFirstOnSequence, 1);
        emit(start);
        describe(kTopTrack, 0, "Orrery", 0, true);
        const auto sides = bothSides(timelines);
        std::vector<std::vector<LaneRow>> lanes;  // edges point into both
        lanes.reserve(timelines.size());
        for (std::size_t i = 0; i < timelines.size(); ++i) {
            lanes.push_back(lanesOf(timelines[i].timeline));
            addTimeline(timelines[i], lanes.back(), sides[i], i);
        }
        std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
        for (const auto& edge : edges_) addEdge(edge);
        return std::move(out_);
    }

  private:
    void emit(ProtoMessage& packet) {
        packet.varint(packet::kSequenceId, kSequence);
        ProtoMessage wrapped;
        out_ += wrapped.message(trace::kPacket, packet).bytes();
    }

    void describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::uint64_t order,
                  bool hasChildren) {
        ProtoMessage track;
        track.varint(descriptor::kUuid, uuid).text(descriptor::kName, validUtf8(name));
        if (parent != 0) track.varint(descriptor::kParent, parent).varint(descriptor::kSiblingRank, order);
        if (hasChildren) track.varint(descriptor::kChildOrdering, descriptor::kExplicitOrder);
        ProtoMessage packet;
        emit(packet.message(packet::kTrackDescriptor, track));
    }

    /// Tracks: Orrery > rank > predicted | measured > lane, so that the two sides of a rank stand together.
    void addTimeline(const NamedTimeline& named, const std::vector<LaneRow>& lanes,
                     const std::vector<std::optional<BothSides>>& sides, std::size_t index) {
        std::map<int, std::uint64_t> groupOf;
        std::map<std::size_t, std::uint64_t> flowOut, flowIn;
        for (const auto& [from, to] : pipelineFlows(named.timeline)) {
            flowOut[from] = ++flow_;
            flowIn[to] = flow_;
        }
        std::uint64_t order = 0;
        for (const auto& lane : lanes) {
            const Track& track = named.timeline.tracks[lane.track];
            auto& rank = ranks_[track.rank];
            if (rank == 0) {
                rank = ++lastUuid_;
                const std::string stage = track.stage < 0 ? "" : fmt::format(" (stage {})", track.stage);
                describe(rank, kTopTrack, fmt::format("rank {}{}", track.rank, stage),
                         static_cast<std::uint64_t>(std::max(0, track.rank)), true);
            }
            auto& group = groupOf[track.rank];
            if (group == 0) {
                group = ++lastUuid_;
                describe(group, rank, named.name, index, true);
            }
            const std::uint64_t row = ++lastUuid_;
            describe(row, group, lane.label, order++, false);
            addEdges(named.timeline, lane, sides, row, flowOut, flowIn);
        }
    }

    /// Begins and ends of a row in nesting order; the stable sort by time keeps that order where times are equal.
    void addEdges(const Timeline& timeline, const LaneRow& lane, const std::vector<std::optional<BothSides>>& sides,
                  std::uint64_t track, const std::map<std::size_t, std::uint64_t>& flowOut,
                  const std::map<std::size_t, std::uint64_t>& flowIn) {
        std::vector<const Span*> open;
        const auto closeUntil = [&](std::int64_t time) {
            while (!open.empty() && open.back()->end() <= time) {
                edges_.push_back({open.back()->end(), false, open.back(), &timeline, nullptr, track, 0, 0});
                open.pop_back();
            }
        };
        const auto flowAt = [](const auto& flows, std::size_t row) {
            const auto found = flows.find(row);
            return found == flows.end() ? std::uint64_t{0} : found->second;
        };
        for (std::size_t i = 0; i < lane.spans.size(); ++i) {
            const Span& span = lane.spans[i];
            closeUntil(span.start);
            edges_.push_back({span.start, true, &span, &timeline, &sides[lane.rows[i]], track,
                              flowAt(flowOut, lane.rows[i]), flowAt(flowIn, lane.rows[i])});
            open.push_back(&span);
        }
        if (!open.empty()) closeUntil(open.front()->end());
    }

    void addEdge(const Edge& edge) {
        ProtoMessage data;
        ProtoMessage event;
        event.varint(event::kType, edge.begins ? event::kBegin : event::kEnd).varint(event::kTrack, edge.track);
        if (edge.begins) {
            const Span& span = *edge.span;
            event.varint(event::kNameIid, names_.id(edge.timeline->names.text(span.name), data));
            event.varint(event::kCategoryIid, categories_.id(name(span.phase), data));
            if (span.cls != OpClass::other) textArg(event, data, "class", name(span.cls));
            numberArg(event, data, "micro_batch", span.microBatch);
            numberArg(event, data, "stage", span.stage);
            numberArg(event, data, "step", span.step);
            if (edge.sides->has_value()) sidesArgs(event, data, **edge.sides);
            if (edge.flowOut != 0) event.fixed64(event::kFlow, edge.flowOut);
            if (edge.flowIn != 0) event.fixed64(event::kFlowEnd, edge.flowIn);
        }
        ProtoMessage packet;
        packet.varint(packet::kTimestamp, static_cast<std::uint64_t>(edge.time + shift_))
            .varint(packet::kClockId, packet::kBootTime)
            .varint(packet::kSequenceFlags, packet::kNeedsState);
        if (!data.empty()) packet.message(packet::kInternedData, data);
        emit(packet.message(packet::kTrackEvent, event));
    }

    void sidesArgs(ProtoMessage& event, ProtoMessage& data, const BothSides& sides) {
        numberArg(event, data, "predicted_ns", sides.predicted);
        numberArg(event, data, "measured_ns", sides.measured);
        if (const auto error = sides.errorPercent()) {
            ProtoMessage arg;
            arg.varint(annotation::kNameIid, keys_.id("error_pct", data))
                .fixed64(annotation::kDouble, std::bit_cast<std::uint64_t>(*error));
            event.message(event::kAnnotation, arg);
        }
    }
    void textArg(ProtoMessage& event, ProtoMessage& data, std::string_view key, std::string_view value) {
        ProtoMessage arg;
        arg.varint(annotation::kNameIid, keys_.id(key, data)).text(annotation::kString, value);
        event.message(event::kAnnotation, arg);
    }
    /// Negative means "does not apply" and is left out.
    void numberArg(ProtoMessage& event, ProtoMessage& data, std::string_view key, std::int64_t value) {
        if (value < 0) return;
        ProtoMessage arg;
        arg.varint(annotation::kNameIid, keys_.id(key, data))
            .varint(annotation::kInt, static_cast<std::uint64_t>(value));
        event.message(event::kAnnotation, arg);
    }

    std::string out_;
    std::vector<Edge> edges_;
    std::map<int, std::uint64_t> ranks_;
    std::uint64_t lastUuid_ = kTopTrack, flow_ = 0;
    std::int64_t shift_ = 0;
    Interner names_{interned::kNames}, categories_{interned::kCategories}, keys_{interned::kAnnotationNames};
};

}  // namespace

std::string perfettoTrace(const std::vector<NamedTimeline>& timelines) {
    return PerfettoWriter().write(timelines);
}

}  // namespace orrery
