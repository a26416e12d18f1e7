// Real processes under the real agent: the profile holds exactly what the program marked.
#include "tests/profiler/recording.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace orrery::test {
namespace {

bool encloses(const RecordedRange& outer, const RecordedRange& inner) {
    return outer.start <= inner.start && inner.start + *inner.duration <= outer.start + *outer.duration;
}
std::int64_t integer(const RecordedRange& range, const std::string& field) {
    return std::get<std::int64_t>(range.values.at(field));
}
double real(const RecordedRange& range, const std::string& field) {
    return std::get<double>(range.values.at(field));
}

}  // namespace

TEST_CASE("texts of every kind arrive as valid UTF-8", "[recording]") {
    const auto process = record("texts");
    CHECK(process.ranges.size() == 9);
    const auto plain = process.only("plain");
    const auto wide = process.only("wide é中🚀");
    CHECK(plain.kind == RangeKind::pushPop);
    CHECK(plain.domain.empty());
    CHECK(plain.depth == 0);
    CHECK(wide.depth == 1);
    CHECK(encloses(plain, wide));
    CHECK(process.only("mark").kind == RangeKind::mark);
    CHECK(process.only("mark").depth == 2);
    CHECK(process.only("mark").duration == 0);
    CHECK(process.only("mark ü").kind == RangeKind::mark);
    CHECK(process.only("start é").kind == RangeKind::startEnd);
    CHECK(process.only(std::string(1024, 'x')).kind == RangeKind::mark);  // cut, see event.hpp
    CHECK(process
              .only("bad ?"
                    "?(")
              .kind == RangeKind::mark);
    CHECK(process.only("").kind == RangeKind::mark);
    CHECK(process.only("colored").color == 0xFF112233U);
    CHECK_FALSE(plain.color.has_value());
}

TEST_CASE("nested ranges of several threads keep their thread, depth and names", "[recording]") {
    const auto process = record("threads");
    const auto outer = process.named("outer range");
    const auto inner = process.named("inner range");
    CHECK(outer.size() == 10 + 11 + 12);
    CHECK(inner.size() == 2 * outer.size());
    std::map<std::int64_t, int> outerByThread;
    for (const auto& range : outer) {
        CHECK(range.category == "outer");
        CHECK(range.domain == "job");
        CHECK(range.depth == 0);
        ++outerByThread[range.thread];
        const auto inside = std::count_if(inner.begin(), inner.end(), [&](const RecordedRange& candidate) {
            return candidate.thread == range.thread && encloses(range, candidate);
        });
        CHECK(inside == 2);
    }
    std::multiset<int> counts;
    for (const auto& [thread, count] : outerByThread) {
        counts.insert(count);
        CHECK(process.threads.at(thread) == "worker " + std::to_string(count - 10));
    }
    CHECK(counts == std::multiset<int>{10, 11, 12});
    CHECK(std::count_if(inner.begin(), inner.end(), [](const auto& range) { return range.depth == 2; }) == 33);

    const auto across = process.only("across threads");
    CHECK(across.kind == RangeKind::startEnd);
    REQUIRE(across.endThread.has_value());
    CHECK(*across.endThread != across.thread);
    CHECK(across.duration.has_value());
    CHECK_FALSE(process.only("never ended").duration.has_value());
    for (const auto& [kind, count] : process.losses) {
        INFO(kind);
        CHECK(count == 0);
    }
}

TEST_CASE("ranges of different domains overlap without closing each other", "[recording]") {
    const auto process = record("domains");
    const auto one = process.only("first of one");
    const auto two = process.only("first of two");
    CHECK(one.domain == "one");
    CHECK(two.domain == "two");
    CHECK(one.start <= two.start);
    CHECK(one.start + *one.duration <= two.start + *two.duration);
    CHECK(process.only("between").category == "category 99");
    CHECK(lost(process, "pop_without_push") == 1);
    CHECK(lost(process, "end_without_start") == 1);
    CHECK(process.ranges.size() == 3);
}

TEST_CASE("payloads are decoded by their schema", "[recording]") {
    const auto process = record("payloads");
    const auto both = process.only("with payload");
    CHECK(both.schema == "job.work");
    CHECK(integer(both, "items") == -5);
    CHECK(real(both, "seconds") == 0.125);
    CHECK(integer(process.only("unsigned"), "value") == 42);
    CHECK(real(process.only("real"), "value") == 0.5);
    CHECK(integer(process.only("signed"), "value") == -3);

    std::vector<RecordedRange> marks;  // those of the payload extension have no name
    for (const auto& range : process.named("")) marks.push_back(range);
    REQUIRE(marks.size() == 5);
    CHECK(marks[0].schema == "sizes");
    CHECK(integer(marks[0], "small") == -1);
    CHECK(integer(marks[0], "medium") == 65535);
    CHECK(real(marks[0], "ratio") == 1.5);
    CHECK(static_cast<std::uint64_t>(integer(marks[0], "big")) == 1ULL << 63U);
    CHECK(std::get<std::string>(marks[0].values.at("label")) == "a label");
    CHECK(marks[0].values.count("array") == 0);
    CHECK(integer(marks[1], "medium") == 65535);
    CHECK(std::holds_alternative<std::monostate>(marks[1].values.at("big")));
    CHECK(marks[2].schema.empty());
    CHECK(marks[3].schema.empty());
    CHECK(real(marks[4], "value") == 2.5);
    CHECK(lost(process, "payload_undecoded") == 1);
    CHECK(lost(process, "payload_too_large") == 1);
    CHECK(lost(process, "payload_fields_skipped") == 2);  // the array, in two payloads
}

TEST_CASE("a second copy of NVTX in the process shares the domain", "[recording]") {
    const auto process = record("plugin " ORRERY_LIB_DIR "/libnvtx_plugin.so");
    CHECK(process.only("in program").category == "of the program");
    CHECK(process.only("in plugin").category == "of the plugin");
    CHECK(process.only("in plugin").domain == process.only("in program").domain);
    CHECK(process.only("in plugin").depth == 1);
}

TEST_CASE("a program built with NVIDIA's own headers is recorded alike", "[recording]") {
    const std::string probe = ORRERY_BIN_DIR "/nvtx_headers_probe";
    if (!std::filesystem::exists(probe)) {
        std::printf("skipped: no NVTX headers here (a CUDA toolkit's nvtx3/nvToolsExtPayload.h; set CUDA_HOME)\n");
        return;
    }
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, probe);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 1);
    const auto process = readProcess(files.front());
    CHECK(process.ranges.size() == 6);
    CHECK(encloses(process.only("outer"), process.only("inner")));
    CHECK(process.only("inner").depth == 1);
    CHECK(process.only("mark").kind == RangeKind::mark);
    CHECK(process.only("across threads").endThread.has_value());
    const auto payload = process.only("with payload");
    CHECK(payload.domain == "probe");
    CHECK(payload.category == "probe category");
    CHECK(payload.schema == "probe.gemm");
    CHECK(integer(payload, "m") == 4096);
    CHECK(real(payload, "seconds") == 0.25);
    CHECK(integer(payload, "k") == -7);
    CHECK(integer(process.only("wide é中"), "value") == 42);
}

TEST_CASE("a profile says who it is and reads its clocks together", "[recording]") {
    const auto process = record("texts", "", "RANK=3 WORLD_SIZE=8");
    REQUIRE(process.ranks.size() == 1);
    const auto& rank = process.ranks.front();
    CHECK(rank.rank == 3);
    CHECK(rank.worldSize == 8);
    CHECK(rank.source == "orrery");
    CHECK(process.file.filename().string().starts_with(rank.host + "-" + std::to_string(*rank.pid) + "-"));
    REQUIRE(process.clocks.size() >= 2);  // at the start and at the end
    for (const auto& sample : process.clocks) {
        CHECK(sample.window >= 0);
        CHECK(sample.realtime - sample.profile == Approx(static_cast<double>(*rank.baseTime)).epsilon(1e-6));
    }
    CHECK(process.clocks.back().profile > process.clocks.front().profile);
    CHECK(process.clocks.back().tsc > process.clocks.front().tsc);
    const auto first = process.ranges.front();
    CHECK(first.start >= process.clocks.front().profile - 1'000'000'000);
    CHECK(first.start <= process.clocks.back().profile);
}

TEST_CASE("a million ranges from two threads arrive when the rings are large enough", "[recording]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " burst 2 500000 2", "--ring-kib 65536");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    CHECK(run.output.find("1000000 ranges and marks, nothing lost") != std::string::npos);
    const Profile profile(profilesIn(folder / "out").front());
    CHECK(profile.count("ranges") == 1'000'000);
    for (const auto& loss : profile.losses()) CHECK(loss.count == 0);
}

TEST_CASE("a full ring drops whole ranges and counts each", "[recording]") {
    const auto process = record("burst 1 20000 3", "--ring-kib 16 --drain-ms 60000");
    const auto dropped = lost(process, "queue_overflow");
    CHECK(dropped > 0);
    CHECK(static_cast<std::int64_t>(process.ranges.size()) + dropped == 20000);
    CHECK(lost(process, "end_lost") == 0);
    for (const auto& range : process.ranges) REQUIRE(range.duration.has_value());
    std::int64_t endOfPrevious = 0;  // no pop was paired with a wrong push: outermost ranges do not overlap
    for (const auto& range : process.ranges) {
        if (range.depth != 0) continue;
        REQUIRE(range.start >= endOfPrevious);
        endOfPrevious = range.start + *range.duration;
    }
}

TEST_CASE("nesting beyond the limit is counted, and what is within it stays right", "[recording]") {
    const auto process = record("burst 1 3000 1500");
    CHECK(process.ranges.size() == 2 * 1024);
    CHECK(lost(process, "too_deep") == 2 * (1500 - 1024));
    CHECK(lost(process, "pop_without_push") == 0);
    for (const auto& range : process.ranges) REQUIRE(range.duration.has_value());
}

TEST_CASE("names made of numbers do not fill memory", "[recording]") {
    const auto process = record("names 100500", "--ring-kib 65536");
    CHECK(process.ranges.size() == 100500);
    CHECK(lost(process, "names_folded") == 500);
    CHECK(process.only("name 99999").duration.has_value());
    CHECK(process.named("(more names than a profile keeps)").size() == 500);
}

}  // namespace orrery::test
