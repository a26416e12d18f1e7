// Chrome trace events with Kineto's keys. Times are microseconds with three decimals, printed from integer nanoseconds.
// Spans within a row nest (lanes.hpp), because overlapping slices of one thread are dropped or moved by viewers.
#include <map>

#include <fmt/format.h>

#include "report/text/escape.hpp"
#include "report/trace/lanes.hpp"
#include "report/trace/sides.hpp"
#include "report/trace/write_timeline.hpp"

namespace orrery {
namespace {

constexpr int kPidsPerTimeline = 1'000'000;

std::string microseconds(std::int64_t ns) {
    const auto magnitude = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

/// Kineto's category of a row, so that readers of PyTorch traces find kernels, annotations and copies.
std::string_view categoryOf(Lane lane, Phase phase) {
    if (phase == Phase::wait) return "wait";
    switch (lane) {
        case Lane::step:
        case Lane::task:
            return "user_annotation";
        case Lane::copy:
            return "gpu_memcpy";
        case Lane::host:
            return "cpu_op";
        case Lane::op:
        case Lane::comm:
        case Lane::kernel:
            return "kernel";
    }
    return "kernel";
}

class ChromeWriter {
  public:
    std::string write(const std::vector<NamedTimeline>& timelines) {
        out_ = header(timelines);
        const auto sides = bothSides(timelines);
        for (std::size_t i = 0; i < timelines.size(); ++i) {
            sides_ = &sides[i];
            add(timelines[i], static_cast<int>(i), timelines.size());
        }
        out_ += "\n],\n\"traceName\": \"orrery\"\n}\n";
        return std::move(out_);
    }

  private:
    static std::string header(const std::vector<NamedTimeline>& timelines) {
        int firstRank = 0;
        std::map<int, bool> ranks;
        for (const auto& named : timelines) {
            for (const auto& track : named.timeline.tracks) ranks[track.rank] = true;
        }
        if (!ranks.empty()) firstRank = ranks.begin()->first;
        return fmt::format(
            "{{\n\"schemaVersion\": 1,\n\"deviceProperties\": [],\n"
            "\"distributedInfo\": {{\"backend\": \"orrery\", \"rank\": {}, \"world_size\": {}}},\n"
            "\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": 0,\n\"traceEvents\": [",
            firstRank, ranks.size());
    }

    void add(const NamedTimeline& named, int index, std::size_t count) {
        struct Place {
            int pid = 0, tid = 0;
            Span span;
        };
        std::map<std::size_t, Place> placeOf;  // tasks, by row: where flows begin and end
        const Timeline& timeline = named.timeline;
        int lastPid = -1;
        int tid = 0;
        for (const auto& lane : lanesOf(timeline)) {
            const Track& track = timeline.tracks[lane.track];
            const int pid = index * kPidsPerTimeline + track.rank;
            if (pid != lastPid) {
                metadata(pid, 0, "process_name", fmt::format("{} rank {}", named.name, track.rank));
                sortIndex(pid, 0, "process_sort_index", track.rank * static_cast<int>(count) + index);
                tid = 0;
            }
            lastPid = pid;
            ++tid;
            metadata(pid, tid, "thread_name", lane.label);
            sortIndex(pid, tid, "thread_sort_index", tid);
            for (std::size_t i = 0; i < lane.spans.size(); ++i) {
                slice(timeline, track, lane.spans[i], lane.rows[i], pid, tid);
                if (track.lane == Lane::task) placeOf[lane.rows[i]] = {pid, tid, lane.spans[i]};
            }
        }
        for (const auto& [from, to] : pipelineFlows(timeline)) {
            const Place& a = placeOf.at(from);
            const Place& b = placeOf.at(to);
            ++flow_;
            flowEnd("s", a.pid, a.tid, a.span.end() - (a.span.duration > 0 ? 1 : 0), "");
            flowEnd("f", b.pid, b.tid, b.span.start, ", \"bp\": \"e\"");
        }
    }

    void slice(const Timeline& timeline, const Track& track, const Span& span, std::size_t row, int pid, int tid) {
        begin();
        const std::string name = span.phase == Phase::step && span.step >= 0
                                     ? fmt::format("ProfilerStep#{}", span.step)
                                     : std::string(timeline.names.text(span.name));
        out_ += "{\"ph\": \"X\", \"cat\": \"";
        out_ += categoryOf(track.lane, span.phase);
        out_ += "\", \"name\": ";
        appendJson(out_, name);
        out_ += fmt::format(", \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, \"args\": {{\"phase\": \"{}\"", pid,
                            tid, microseconds(span.start), microseconds(span.duration), orrery::name(span.phase));
        if (span.cls != OpClass::other) out_ += fmt::format(", \"class\": \"{}\"", orrery::name(span.cls));
        if (isCollective(span.cls)) out_ += fmt::format(", \"Collective name\": \"{}\"", orrery::name(span.cls));
        if (span.microBatch >= 0) out_ += fmt::format(", \"micro_batch\": {}", span.microBatch);
        if (span.stage >= 0) out_ += fmt::format(", \"stage\": {}", span.stage);
        if (span.step >= 0) out_ += fmt::format(", \"step\": {}", span.step);
        const bool onDevice = categoryOf(track.lane, span.phase) == "kernel" || track.lane == Lane::copy;
        if (onDevice) {
            out_ += fmt::format(", \"device\": {}, \"stream\": {}, \"correlation\": {}",
                                track.device >= 0 ? track.device : track.rank, track.stream >= 0 ? track.stream : tid,
                                ++correlation_);
        }
        if (const auto& both = (*sides_)[row]) {
            out_ += fmt::format(", \"predicted_ns\": {}, \"measured_ns\": {}", both->predicted, both->measured);
            if (const auto error = both->errorPercent()) out_ += fmt::format(", \"error_pct\": {:.2f}", *error);
        }
        out_ += "}}";
    }

    void metadata(int pid, int tid, std::string_view what, std::string_view value) {
        begin();
        out_ += fmt::format(
            "{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": 0, \"args\": {{\"name\": ", what, pid,
            tid);
        appendJson(out_, value);
        out_ += "}}";
    }
    void sortIndex(int pid, int tid, std::string_view what, int value) {
        begin();
        out_ += fmt::format(
            "{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": 0, \"args\": {{\"sort_index\": "
            "{}}}}}",
            what, pid, tid, value);
    }
    void flowEnd(std::string_view phase, int pid, int tid, std::int64_t at, std::string_view more) {
        begin();
        out_ += fmt::format(
            "{{\"ph\": \"{}\", \"id\": {}, \"cat\": \"pipeline\", \"name\": \"micro_batch\", \"pid\": {}, \"tid\": {}, "
            "\"ts\": {}{}}}",
            phase, flow_, pid, tid, microseconds(at), more);
    }
    void begin() {
        out_ += first_ ? "\n" : ",\n";
        first_ = false;
    }

    std::string out_;
    bool first_ = true;
    const std::vector<std::optional<BothSides>>* sides_ = nullptr;
    std::int64_t correlation_ = 0, flow_ = 0;
};

}  // namespace

std::string chromeTrace(const std::vector<NamedTimeline>& timelines) {
    return ChromeWriter().write(timelines);
}

}  // namespace orrery
