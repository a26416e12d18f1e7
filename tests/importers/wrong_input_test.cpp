// Wrong and hostile files: one clear error each, and nothing left behind.
#include <atomic>

#include <catch2/catch.hpp>
#include <zlib.h>

#include "importers/io/file_reader.hpp"
#include "importers/registry.hpp"
#include "model/units/input_error.hpp"
#include "tests/importers/imported.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

std::string gzip(const std::string& text) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// The one line that importing `path` ends with; the target folder must stay empty.
std::string errorOf(const std::filesystem::path& path) {
    const TempFolder target;
    std::string message;
    try {
        ProfileWriter writer(target / "job.db");
        importers::importPaths({path}, writer, {});
        writer.finish();
    } catch (const InputError& error) {
        message = error.what();
    }
    CHECK(target.entries() == 0);
    CHECK(message.find('\n') == std::string::npos);
    return message;
}

}  // namespace

TEST_CASE("each wrong input has one clear line and leaves nothing behind", "[importers][errors]") {
    const TempFolder folder;
    CHECK_THAT(errorOf(folder.write("empty.json", "")), Catch::Contains("empty.json") && Catch::Contains("empty"));
    CHECK_THAT(errorOf(folder.write("x.json", std::string("\x7F"
                                                          "ELF\0\0\1\2",
                                                          8))),
               Catch::Contains("binary content"));
    CHECK_THAT(errorOf(folder.write("y.json", "{\"a\": 1}")), Catch::Contains("no known format"));
    CHECK_THAT(errorOf(folder / "absent.json"), Catch::Contains("no such file"));
    CHECK_THAT(errorOf(folder.write("z.json", R"({"schemaVersion": 1})")), Catch::Contains("traceEvents"));
    std::filesystem::create_directory(folder / "none");
    CHECK_THAT(errorOf(folder / "none"), Catch::Contains("holds no file of a known format"));
}

TEST_CASE("an output that cannot be written is an error that names the place", "[importers][errors]") {
    CHECK_THROWS_WITH(ProfileWriter("/nonexistent-folder/job.db"),
                      Catch::StartsWith("/nonexistent-folder/job.db: cannot be written"));
}

TEST_CASE("gzip is known by its first bytes, not by its name, and may have several members", "[importers]") {
    const std::string text = trace(joined({kernelEvent("a", "1"), kernelEvent("b", "2")}));
    CHECK(Imported(gzip(text), "trace.json").kernels().size() == 2);
    CHECK(Imported(gzip(text.substr(0, 40)) + gzip(text.substr(40)), "t").kernels().size() == 2);
    CHECK(Imported(text, "trace.json.gz").kernels().size() == 2);
}

TEST_CASE("a gzip stream that was cut short gives the events before the cut and says so", "[importers][malformed]") {
    std::vector<std::string> events;
    for (int i = 0; i < 3000; ++i) {
        events.push_back(kernelEvent(fmt::format("k{}", i * 7919 % 3001), std::to_string(i * 10)));
    }
    const std::string packed = gzip(trace(joined(events)));
    const Imported job(packed.substr(0, packed.size() / 2));
    CHECK(job.kernels().size() > 100);
    CHECK(job.kernels().size() < 3000);
    CHECK_THAT(job.warnings(), Catch::Contains("gzip stream ends early") && Catch::Contains("byte"));
}

TEST_CASE("a file that unpacks beyond the limit is refused before memory is gone", "[importers][hostile]") {
    const TempFolder folder;
    const auto file = folder.write("bomb.json", gzip(std::string(8 << 20, ' ')));
    CHECK(std::filesystem::file_size(file) < 16384);
    CHECK_THROWS_WITH(importers::readContent(file, {}, 64, 1 << 20), Catch::Contains("unpacks to more than"));
    CHECK(importers::readContent(file, {}, 64).size == 8 << 20);
}

TEST_CASE("a cancelled import stops and leaves nothing", "[importers]") {
    const TempFolder folder;
    const auto file = folder.write("trace.json", trace(kernelEvent("a")));
    const TempFolder target;
    {
        std::atomic<bool> cancelled{true};
        ProfileWriter writer(target / "job.db");
        importers::Progress progress;
        progress.cancelled = &cancelled;
        CHECK_THROWS_AS(importers::importPaths({file}, writer, progress), importers::Cancelled);
    }
    CHECK(target.entries() == 0);
}

TEST_CASE("progress ends at the whole of what there is to read", "[importers]") {
    const TempFolder folder;
    folder.write("rank0.json", trace(kernelEvent("a")));
    folder.write("rank1.json", trace(kernelEvent("b")));
    std::uint64_t last = 0;
    std::uint64_t whole = 0;
    {
        ProfileWriter writer(folder / "job.db");
        importers::Progress progress;
        progress.report = [&](std::uint64_t done, std::uint64_t total) {
            CHECK(done >= last);
            last = done;
            whole = total;
        };
        importers::importPaths({folder / "rank0.json", folder / "rank1.json"}, writer, progress);
    }
    CHECK(whole > 0);
    CHECK(last == whole);
}
