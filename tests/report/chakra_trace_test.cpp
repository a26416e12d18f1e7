// A prediction as Chakra execution traces, read back by our own importer.
#include "report/trace/chakra_trace.hpp"

#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "data/store/profile.hpp"
#include "importers/chakra/chakra_protobuf.hpp"
#include "importers/import_paths.hpp"
#include "model/units/input_error.hpp"
#include "report/trace/write_timeline.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::importers;
using namespace orrery::test;

namespace {

/// Two stages on ranks 0 and 8, one micro-batch forward, a gradient reduction, a bubble and a step marker.
Timeline twoStages() {
    Timeline timeline;
    std::map<std::pair<int, Lane>, std::uint32_t> tracks;
    for (const int rank : {0, 8}) {
        for (const Lane lane : {Lane::step, Lane::task, Lane::comm}) {
            Track track;
            track.rank = rank;
            track.lane = lane;
            track.stage = rank / 8;
            tracks[{rank, lane}] = timeline.addTrack(track);
        }
    }
    const auto add = [&](int rank, Lane lane, Phase phase, OpClass cls, const char* name, std::int64_t start,
                         std::int64_t duration, std::int64_t bytes = -1, int peer = -1) {
        Span span;
        span.track = tracks.at({rank, lane});
        span.start = start;
        span.duration = duration;
        span.phase = phase;
        span.cls = cls;
        span.name = timeline.names.intern(name);
        span.microBatch = phase == Phase::forward || phase == Phase::pipelineComm ? 0 : -1;
        span.stage = static_cast<std::int16_t>(rank / 8);
        span.bytes = bytes;
        span.peer = peer;
        timeline.add(span);
    };
    for (const int rank : {0, 8}) add(rank, Lane::step, Phase::step, OpClass::other, "step 0", 0, 5000);
    add(0, Lane::task, Phase::forward, OpClass::other, "forward", 0, 1234);
    add(0, Lane::comm, Phase::pipelineComm, OpClass::sendRecv, "send_forward", 1234, 500, 4096, 8);
    add(8, Lane::task, Phase::wait, OpClass::other, "wait: warm-up", 0, 1734);
    add(8, Lane::task, Phase::forward, OpClass::other, "forward", 1734, 1000);
    add(8, Lane::comm, Phase::gradReduce, OpClass::reduceScatter, "grad_reduce", 2734, 700, 65536);
    timeline.sort();
    return timeline;
}

}  // namespace

TEST_CASE("a predicted timeline as Chakra traces comes back through our importer", "[report][chakra]") {
    const TempFolder folder;
    writeTimeline(folder / "job.et", {{"predicted", twoStages()}});
    REQUIRE(std::filesystem::exists(folder / "job.0.et"));
    REQUIRE(std::filesystem::exists(folder / "job.1.et"));
    {
        ProfileWriter writer(folder / "back.db");
        const auto summary = importPaths({folder / "job.0.et", folder / "job.1.et"}, writer, {});
        CHECK(summary.warnings.empty());
        for (const auto& file : summary.files) CHECK(file.result.warnings.empty());
        writer.finish();
    }
    const Profile profile(folder / "back.db");
    const auto ranks = profile.ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].rank == 0);
    CHECK(ranks[1].rank == 8);
    std::map<std::string, KernelRow> seen;
    profile.forEachKernel([&](const KernelView& view) { seen[std::string(view.name)] = view; });
    CHECK(seen.size() == 4);  // both forwards have one name; waits and step markers are no work
    CHECK(profile.count("kernels") == 5);
    CHECK(seen["forward_0"].start == 1734);  // to the nanosecond
    CHECK(seen["send_forward_0"].duration == 500);
    CHECK(seen["receive_forward_0"].rankId == ranks[1].id);
    std::map<OpClass, std::set<std::int64_t>> bytes;
    profile.forEachCollective([&](const CollectiveView& view) { bytes[view.kind].insert(view.bytes.value_or(-1)); });
    CHECK(bytes[OpClass::sendRecv] == std::set<std::int64_t>{4096});
    CHECK(bytes[OpClass::reduceScatter] == std::set<std::int64_t>{65536});
}

TEST_CASE("a node depends on what was over when it began; sends and receives have one tag", "[report][chakra]") {
    const auto files = chakraTraces(twoStages());
    REQUIRE(files.size() == 2);
    const ChakraGraph first = readChakraProtobuf(files[0], {});
    const ChakraGraph second = readChakraProtobuf(files[1], {});
    REQUIRE(first.nodes.size() == 2);
    CHECK(first.nodes[1].kind == ChakraKind::send);
    CHECK(first.nodes[1].dataDeps == std::vector<std::uint64_t>{0});
    CHECK(first.nodes[1].destination == 1);
    REQUIRE(second.nodes.size() == 3);
    CHECK(second.nodes[0].kind == ChakraKind::receive);
    CHECK(second.nodes[0].source == 0);
    CHECK(second.nodes[0].tag == first.nodes[1].tag);
    CHECK(second.nodes[0].dataDeps.empty());
    CHECK(second.nodes[1].dataDeps == std::vector<std::uint64_t>{0});
    CHECK(second.nodes[2].opClass() == OpClass::reduceScatter);
    CHECK(second.nodes[2].dataDeps == std::vector<std::uint64_t>{1, 0});
    for (const auto& graph : {first, second}) {
        for (const auto& node : graph.nodes) {
            for (const auto dep : node.dataDeps) CHECK(dep < node.id);
        }
    }
}

TEST_CASE("a timeline without work and several timelines are refused for .et", "[report][chakra]") {
    const TempFolder folder;
    CHECK_THROWS_AS(chakraTraces(Timeline{}), InputError);
    CHECK_THROWS_AS(writeTimeline(folder / "x.et", {{"a", twoStages()}, {"b", twoStages()}}), InputError);
    CHECK(folder.entries() == 0);
}
