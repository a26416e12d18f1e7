// The rules that viewers expect of a trace, checked by reading back what was written with independent readers.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "model/units/input_error.hpp"
#include "report/trace/lanes.hpp"
#include "report/trace/write_timeline.hpp"
#include "tests/report/sample_job.hpp"

using namespace orrery;

namespace {

std::vector<NamedTimeline> bothSides() {
    return {{"predicted", test::pipelineJob(4, 1.0, 0)}, {"measured", test::pipelineJob(4, 1.05, 3000, 2)}};
}

/// Fields of a protobuf message by number, as protobuf.dev/programming-guides/encoding describes the wire.
struct Message {
    std::multimap<std::uint64_t, std::uint64_t> numbers;
    std::multimap<std::uint64_t, std::string_view> texts;

    explicit Message(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto tag = varint(bytes);
            const auto wire = tag & 7U;
            if (wire == 0) {
                numbers.emplace(tag >> 3U, varint(bytes));
            } else if (wire == 1) {
                REQUIRE(bytes.size() >= 8);
                std::uint64_t value = 0;
                for (unsigned i = 0; i < 8; ++i)
                    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
                numbers.emplace(tag >> 3U, value);
                bytes.remove_prefix(8);
            } else {
                REQUIRE(wire == 2);
                const auto length = varint(bytes);
                REQUIRE(length <= bytes.size());
                texts.emplace(tag >> 3U, bytes.substr(0, length));
                bytes.remove_prefix(length);
            }
        }
    }
    [[nodiscard]] std::uint64_t number(std::uint64_t field) const {
        const auto found = numbers.find(field);
        REQUIRE(found != numbers.end());
        return found->second;
    }
    [[nodiscard]] std::string text(std::uint64_t field) const {
        const auto found = texts.find(field);
        REQUIRE(found != texts.end());
        return std::string(found->second);
    }
    [[nodiscard]] std::optional<Message> child(std::uint64_t field) const {
        const auto found = texts.find(field);
        if (found == texts.end()) return std::nullopt;
        return Message(found->second);
    }

  private:
    static std::uint64_t varint(std::string_view& bytes) {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            REQUIRE(!bytes.empty());
            REQUIRE(shift < 64);
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
    }
};

struct Slice {
    std::int64_t start = 0, end = 0;
    auto operator<=>(const Slice&) const = default;
};

/// Every slice of a row lies wholly inside or wholly outside every other.
bool nests(std::vector<Slice> slices) {
    std::sort(slices.begin(), slices.end(),
              [](const Slice& a, const Slice& b) { return std::pair(a.start, -a.end) < std::pair(b.start, -b.end); });
    std::vector<std::int64_t> open;
    for (const auto& slice : slices) {
        while (!open.empty() && open.back() <= slice.start) open.pop_back();
        if (!open.empty() && slice.end > open.back()) return false;
        open.push_back(slice.end);
    }
    return true;
}

std::int64_t nanoseconds(const nlohmann::json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000.0);
}

}  // namespace

TEST_CASE("Chrome JSON: valid, rows nest, flows bind to slices, Kineto's keys are there", "[report][trace]") {
    const auto timelines = bothSides();
    const auto trace = nlohmann::json::parse(chromeTrace(timelines));
    CHECK(trace["schemaVersion"] == 1);
    CHECK(trace["deviceProperties"].is_array());
    CHECK(trace["distributedInfo"]["world_size"] == 2);
    CHECK(trace["baseTimeNanoseconds"] == 0);

    std::map<std::pair<int, int>, std::vector<Slice>> rows;
    std::map<int, std::pair<nlohmann::json, nlohmann::json>> flows;  // id -> start, finish
    std::set<std::int64_t> correlations;
    std::map<std::string, std::set<std::string>> lanesOfSide;
    std::map<int, std::string> processes;
    std::size_t slices = 0, paired = 0;
    std::set<std::string> steps;
    for (const auto& event : trace["traceEvents"]) {
        const std::string phase = event["ph"];
        if (phase == "M" && event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
        if (phase == "M" && event["name"] == "thread_name") {
            const std::string& process = processes.at(event["pid"]);
            lanesOfSide[process.substr(0, process.find(' '))].insert(event["args"]["name"].get<std::string>());
        }
        if (phase == "s") flows[event["id"]].first = event;
        if (phase == "f") {
            CHECK(event["bp"] == "e");
            flows[event["id"]].second = event;
        }
        if (phase != "X") continue;
        ++slices;
        const auto start = nanoseconds(event["ts"]);
        rows[{event["pid"], event["tid"]}].push_back({start, start + nanoseconds(event["dur"])});
        if (event["cat"] == "kernel") {
            CHECK(event["args"].contains("stream"));
            CHECK(event["args"].contains("device"));
            CHECK(correlations.insert(event["args"]["correlation"].get<std::int64_t>()).second);
        }
        const auto& args = event["args"];
        if (args.contains("error_pct")) {
            const double predicted = args["predicted_ns"], measured = args["measured_ns"];
            CHECK(args["error_pct"].get<double>() == Approx(100.0 * (predicted / measured - 1.0)).margin(0.01));
            ++paired;
        }
        if (event["name"].get<std::string>().starts_with("ProfilerStep#"))
            steps.insert(event["name"].get<std::string>());
    }
    CHECK(slices == timelines[0].timeline.size() + timelines[1].timeline.size());
    // One step of 2 x (8 passes, 16 operators in them, an optimizer task with its operator) and 8 transfers, both
    // sides.
    CHECK(paired == 2 * (2 * (8 + 16 + 2) + 8));
    CHECK(steps == std::set<std::string>{"ProfilerStep#0", "ProfilerStep#1"});
    CHECK(lanesOfSide.at("predicted") == lanesOfSide.at("measured"));
    for (const auto& [where, row] : rows) CHECK(nests(row));

    CHECK(flows.size() == 8 + 16);  // a flow per pass and micro-batch: 1 step predicted, 2 measured
    for (const auto& [id, ends] : flows) {
        for (const auto& event : {ends.first, ends.second}) {
            REQUIRE(event.is_object());
            const auto at = nanoseconds(event["ts"]);
            const auto& row = rows.at({event["pid"], event["tid"]});
            CHECK(std::any_of(row.begin(), row.end(), [at](const Slice& s) { return s.start <= at && at < s.end; }));
        }
        CHECK(ends.first["ts"].get<double>() <= ends.second["ts"].get<double>());
    }
}

TEST_CASE("Perfetto: interned before use, ends match begins, tracks described first, one sequence", "[report][trace]") {
    const auto timelines = bothSides();
    const std::string bytes = perfettoTrace(timelines);
    std::map<std::uint64_t, std::string> tracks, names;
    std::map<std::uint64_t, std::uint64_t> parents;
    std::map<std::uint64_t, std::vector<std::uint64_t>> depth;  // track -> starts of open slices
    std::map<std::uint64_t, std::pair<int, int>> flows;
    std::uint64_t lastTime = 0;
    std::size_t begins = 0, ends = 0, packets = 0;
    std::set<std::string> seenNames;
    const Message file(bytes);
    CHECK(file.numbers.empty());
    for (const auto& [field, raw] : file.texts) {
        REQUIRE(field == 1);
        const Message packet(raw);
        CHECK(packet.number(10) == 1);                      // trusted_packet_sequence_id
        if (packets++ == 0) CHECK(packet.number(13) == 1);  // SEQ_INCREMENTAL_STATE_CLEARED
        if (const auto track = packet.child(60)) {
            const auto uuid = track->number(1);
            CHECK(tracks.emplace(uuid, track->text(2)).second);
            if (track->numbers.contains(5)) {
                CHECK(tracks.contains(track->number(5)));
                parents[uuid] = track->number(5);
            }
        }
        if (const auto interned = packet.child(12)) {
            for (auto [name, last] = interned->texts.equal_range(2); name != last; ++name) {
                const Message entry(name->second);
                CHECK(names.emplace(entry.number(1), entry.text(2)).second);
            }
        }
        const auto event = packet.child(11);
        if (!event) continue;
        CHECK(packet.number(13) == 2);  // SEQ_NEEDS_INCREMENTAL_STATE
        CHECK(packet.number(58) == 6);  // BOOTTIME, so that nanoseconds are kept
        const auto time = packet.number(8);
        CHECK(time >= lastTime);
        lastTime = time;
        const auto track = event->number(11);
        REQUIRE(tracks.contains(track));
        if (event->number(9) == 1) {
            ++begins;
            REQUIRE(names.contains(event->number(10)));
            seenNames.insert(names.at(event->number(10)));
            depth[track].push_back(time);
            for (auto [flow, last] = event->numbers.equal_range(47); flow != last; ++flow) ++flows[flow->second].first;
            for (auto [flow, last] = event->numbers.equal_range(48); flow != last; ++flow) ++flows[flow->second].second;
        } else {
            ++ends;
            REQUIRE(event->number(9) == 2);
            REQUIRE(!depth[track].empty());
            depth[track].pop_back();
        }
    }
    CHECK(begins == timelines[0].timeline.size() + timelines[1].timeline.size());
    CHECK(begins == ends);
    for (const auto& [track, open] : depth) CHECK(open.empty());
    CHECK(flows.size() == 8 + 16);
    for (const auto& [id, count] : flows) CHECK(count == std::pair(1, 1));

    // rank > predicted | measured > lane, with the same lanes on both sides
    std::map<std::string, std::multiset<std::string>> lanes;
    for (const auto& [track, parent] : parents) {
        const auto& side = tracks.at(parent);
        if (side == "predicted" || side == "measured") lanes[side].insert(tracks.at(track));
    }
    CHECK(lanes.at("predicted") == lanes.at("measured"));
    CHECK(lanes.at("predicted").size() == 8);  // 2 ranks x (steps, tasks, operators, communication)
}

TEST_CASE("Spans that overlap on a track move to further rows and none is lost", "[report][trace][property]") {
    rc::check("rows nest and hold every span once", [] {
        Timeline timeline;
        timeline.addTrack({});
        const int count = *rc::gen::inRange(0, 40);
        for (int i = 0; i < count; ++i) {
            Span span;
            span.start = *rc::gen::inRange<std::int64_t>(0, 60);
            span.duration = *rc::gen::inRange<std::int64_t>(0, 30);
            span.name = timeline.names.intern("x");
            timeline.add(span);
        }
        std::set<std::size_t> seen;
        for (const auto& lane : lanesOf(timeline)) {
            std::vector<Slice> slices;
            for (const auto& span : lane.spans) slices.push_back({span.start, span.end()});
            RC_ASSERT(nests(slices));
            for (const auto row : lane.rows) RC_ASSERT(seen.insert(row).second);
        }
        RC_ASSERT(seen.size() == timeline.size());
        RC_ASSERT(perfettoTrace({{"x", timeline}}).size() > 0U);
    });
}

TEST_CASE("Negative times, as extractStep leaves them, stay in order in both formats", "[report][trace]") {
    Timeline timeline;
    timeline.addTrack({});
    Span span;
    span.start = -1500;
    span.duration = 1;
    span.name = timeline.names.intern("early");
    timeline.add(span);
    const auto trace = nlohmann::json::parse(chromeTrace({{"x", timeline}}));
    bool found = false;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] == "X") found = nanoseconds(event["ts"]) == -1500 && nanoseconds(event["dur"]) == 1;
    }
    CHECK(found);
    CHECK(!perfettoTrace({{"x", timeline}}).empty());
}

TEST_CASE("The suffix picks the format; a wrong one or place is one clear line and leaves nothing", "[report][trace]") {
    const auto folder = std::filesystem::temp_directory_path();
    const auto json = folder / "orrery_trace_test.json";
    const auto native = folder / "orrery_trace_test.pftrace";
    writeTimeline(json, bothSides());
    writeTimeline(native, bothSides());
    CHECK(nlohmann::json::accept(std::ifstream(json)));
    std::ifstream raw(native, std::ios::binary);
    CHECK(raw.get() == 0x0A);  // field 1, length-delimited: what Perfetto looks for
    std::filesystem::remove(json);
    std::filesystem::remove(native);
    CHECK_THROWS_AS(writeTimeline(folder / "x.txt", bothSides()), InputError);
    CHECK_THROWS_AS(writeTimeline(folder / "no_such_folder" / "x.json", bothSides()), InputError);
}
