// Execution traces of our own making, byte by byte, and the real ones.
#include <map>

#include <catch2/catch.hpp>

#include "importers/chakra/chakra_importer.hpp"
#include "importers/chakra/chakra_json.hpp"
#include "importers/chakra/chakra_protobuf.hpp"
#include "importers/chakra/stream_order.hpp"
#include "tests/importers/imported.hpp"
#include "tests/support/shared_data.hpp"

using namespace orrery;
using namespace orrery::importers;
using namespace orrery::test;
using Catch::Contains;

namespace {

std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
    out.push_back(static_cast<char>(value));
    return out;
}
std::string number(int field, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string text(int field, const std::string& value) {
    return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + value;
}
std::string framed(const std::string& message) {
    return varint(message.size()) + message;
}
/// An attribute in the int64 arm (9), or in any other integer arm.
std::string attribute(const std::string& name, std::uint64_t value, int arm = 9) {
    return text(10, text(1, name) + number(arm, value));
}
std::string node(std::uint64_t id, const std::string& name, int type, const std::string& more) {
    return framed(number(1, id) + text(2, name) + number(3, static_cast<std::uint64_t>(type)) + more);
}
const std::string kMetadata = framed(text(1, "0.0.4"));

std::map<std::string, RangeRow> ranges(const Imported& job) {
    std::map<std::string, RangeRow> seen;
    job.profile().forEachRange([&](const RangeView& view) { seen[std::string(view.name)] = view; });
    return seen;
}

}  // namespace

TEST_CASE("nodes of a Chakra trace keep type, dependencies, size, peer and tag; any integer arm is a number",
          "[chakra]") {
    const Imported job(
        kMetadata + node(0, "gemm", 4, number(7, 5)) +
            node(1, "send", 5,
                 text(5, varint(0)) + attribute("comm_size", 131072, 13) + attribute("comm_dst", 2, 7) +
                     attribute("comm_tag", 9, 11)) +
            node(2, "reduce", 7, number(7, 8) + number(5, 0) + attribute("comm_type", 0) + attribute("comm_size", 64)),
        "job.3.et");
    const Profile profile = job.profile();
    CHECK(profile.ranks().at(0).rank == 3);
    CHECK(profile.count("kernels") == 2);  // the send has no duration: not a kernel of length 0
    std::map<OpClass, CollectiveView> seen;
    profile.forEachCollective([&](const CollectiveView& view) { seen[view.kind] = view; });
    CHECK(seen[OpClass::sendRecv].bytes == 131072);
    CHECK(seen[OpClass::sendRecv].peer == 2);
    CHECK_FALSE(seen[OpClass::sendRecv].duration);
    CHECK(seen[OpClass::allReduce].bytes == 64);
    CHECK(seen[OpClass::allReduce].duration == 8000);
    profile.forEachRange([&](const RangeView& view) {
        if (view.name != "send") return;
        CHECK(view.integer("tag") == 9);
        CHECK(view.integer("bytes") == 131072);
        REQUIRE(view.values.size() >= 3);
        CHECK(std::get<std::string>(view.values[2]) == "0");
    });
    CHECK_THAT(job.warnings(), Contains("1 of 3 nodes have no duration"));
    CHECK_THAT(job.warnings(), Contains("no start times in it: 3 nodes are placed"));
}

TEST_CASE("without stated starts nodes wait for their dependencies and for their stream (chakra #215)", "[chakra]") {
    const Imported job(kMetadata + node(0, "first", 4, number(7, 5)) + node(1, "second", 4, number(7, 3)) +
                       node(2, "reduce", 7, number(7, 10) + text(5, varint(0))) +
                       node(3, "after", 4, number(7, 1) + text(5, varint(2))));
    auto seen = ranges(job);
    CHECK(seen["first"].start == 0);
    CHECK(seen["second"].start == 5000);  // one stream of computation
    CHECK(seen["reduce"].start == 5000);  // beside it
    CHECK(seen["after"].start == 15000);
}

TEST_CASE("stated starts are kept as they are", "[chakra]") {
    const Imported job(kMetadata + node(0, "a", 4, number(6, 100) + number(7, 5)) +
                       node(1, "b", 4, number(6, 90) + number(7, 5)));
    CHECK(ranges(job)["b"].start == 90000);
    CHECK(job.warnings().empty());
}

TEST_CASE("nodes that wait for each other are placed and told", "[chakra]") {
    const Imported job(kMetadata + node(0, "a", 4, number(7, 5) + text(5, varint(1))) +
                       node(1, "b", 4, number(7, 5) + text(5, varint(0))));
    CHECK(job.profile().count("kernels") == 2);
    CHECK_THAT(job.warnings(), Contains("2 nodes wait for each other in a circle"));
}

TEST_CASE("a trace that was cut short, a broken message and an empty length end in what came before", "[chakra]") {
    const std::string two = kMetadata + node(0, "a", 4, number(7, 5)) + node(1, "b", 4, number(7, 5));
    CHECK(readChakraProtobuf(two.substr(0, two.size() - 2), {}).nodes.size() == 1);
    CHECK_THAT(readChakraProtobuf(two.substr(0, two.size() - 2), {}).warnings.at(0).text, Contains("cut short"));
    CHECK(readChakraProtobuf(two + varint(0) + node(2, "c", 4, ""), {}).nodes.size() == 2);
    const auto broken = readChakraProtobuf(kMetadata + framed("\x0A\xFF\xFF") + node(1, "b", 4, ""), {});
    CHECK(broken.nodes.size() == 1);
    CHECK_THAT(broken.warnings.at(0).text, Contains("1 event lost"));
    const auto huge = readChakraProtobuf(kMetadata + "\xFF\xFF\xFF\xFF\x0F" + "x", {});
    CHECK(huge.nodes.empty());
    CHECK(huge.warnings.size() == 1);
    CHECK_THROWS_WITH(Imported(kMetadata, "empty.et"), Contains("without a single node"));
}

TEST_CASE("text and other binary files are not taken for Chakra's", "[chakra]") {
    CHECK(looksLikeChakra(kMetadata));
    CHECK(looksLikeChakra(framed(text(2, text(1, "schema") + text(29, "1.0")))));
    CHECK_FALSE(looksLikeChakra("{\n  \"traceEvents\": []}"));
    CHECK_FALSE(looksLikeChakra("hello world"));
    CHECK_FALSE(looksLikeChakra(""));
    CHECK_FALSE(looksLikeChakra(std::string("\x80\x80\x80\x80\x80\x80", 6)));
}

TEST_CASE("ranks in the names of files; a version is not one", "[chakra]") {
    CHECK(rankInChakraName("job.12.et") == 12);
    CHECK(rankInChakraName("chakra.0.json.gz") == 0);
    CHECK_FALSE(rankInChakraName("1.0.2-chakra.0.0.4.json"));
    CHECK_FALSE(rankInChakraName("job.et"));
}

TEST_CASE("the feeder's JSON and messages one behind the other give the same graph", "[chakra]") {
    const auto feeder = readChakraJson(
        R"({"workload_graph":[{"Id":1,"Name":"k","NodeType":4,"runtime":7,"data_deps":[],"is_cpu_op":false},)"
        R"({"Id":2,"Name":"c","NodeType":7,"runtime":9,"data_deps":[1],"comm_size":64,"comm_type":2}]})",
        {});
    const auto messages =
        readChakraJson(R"({"version":"0.0.4","attr":[]})"
                       "\n"
                       R"({"id":"1","name":"k","type":"COMP_NODE","durationMicros":"7"})"
                       "\n"
                       R"({"id":"2","name":"c","type":"COMM_COLL_NODE","durationMicros":"9","dataDeps":["1"],)"
                       R"("attr":[{"name":"comm_size","int64Val":"64"},{"name":"comm_type","int64Val":"2"}]})",
                       {});
    CHECK(messages.version == "0.0.4");
    for (const auto& graph : {feeder, messages}) {
        REQUIRE(graph.nodes.size() == 2);
        CHECK(graph.nodes[0].duration == 7000);
        CHECK(graph.nodes[1].dataDeps == std::vector<std::uint64_t>{1});
        CHECK(graph.nodes[1].bytes == 64);
        CHECK(graph.nodes[1].opClass() == OpClass::allGather);
    }
    const auto cut = readChakraJson(R"({"workload_graph":[{"Id":1,"Name":"k","NodeType":4},{"Id":2,"Na)", {});
    CHECK(cut.nodes.size() == 1);
    CHECK(cut.warnings.size() == 1);
}

TEST_CASE("real execution traces: nodes, collectives and groups", "[chakra][facts]") {
    const auto folder = sharedData("traces/chakra");
    if (!folder) return;
    const TempFolder out;
    const auto import = [&](const std::filesystem::path& file) {
        std::filesystem::remove(out / "job.db");
        ProfileWriter writer(out / "job.db");
        importers::importPaths({file}, writer, {});
        writer.finish();
    };
    import(*folder / "param_resnet_2gpu_et.json.gz");
    {
        const Profile profile(out / "job.db");
        CHECK(profile.count("ranges") == 14392);
        CHECK(profile.processGroups().at(0).size == 2);
        std::map<OpClass, int> kinds;
        std::int64_t bytes = 0;
        profile.forEachCollective([&](const CollectiveView& view) {
            ++kinds[view.kind];
            bytes += view.bytes.value_or(0);
        });
        CHECK(kinds == std::map<OpClass, int>{{OpClass::allReduce, 15}, {OpClass::broadcast, 6}});
        CHECK(bytes == 306684384 + 638712);
    }
    import(*folder / "astrasim_ring_allreduce_8npus_1MB");
    const Profile ring(out / "job.db");
    CHECK(ring.ranks().size() == 4);
    CHECK(ring.ranks().at(2).rank == 2);
    std::int64_t sent = 0;
    ring.forEachCollective([&](const CollectiveView& view) { sent += view.bytes.value_or(0); });
    CHECK(sent == 4 * 28 * 131072);  // a ring of 8: 14 sends and 14 receives of 1 MiB / 8
}
