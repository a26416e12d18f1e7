// The store: what is written is read back, files appear whole or not at all, foreign and newer files are told apart.
#include <csignal>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "data/store/profile.hpp"
#include "data/store/profile_writer.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

KernelRow kernel(std::int64_t rank, std::int64_t start, std::int64_t nameId) {
    KernelRow row;
    row.rankId = rank;
    row.start = start;
    row.duration = 10;
    row.nameId = nameId;
    return row;
}

std::int64_t addRank(ProfileWriter& writer) {
    RankRow row;
    row.file = "x";
    row.source = "test";
    return writer.addRank(row);
}

/// Overwrites a big-endian number in an SQLite header.
void patch(const std::filesystem::path& file, std::streamoff at, unsigned char value) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(at + 3);
    out.put(static_cast<char>(value));
}

}  // namespace

TEST_CASE("rows come back as written, unknown stays unknown, order is rank then start", "[store]") {
    const TempFolder folder;
    {
        ProfileWriter writer(folder / "p.db");
        const auto rank = addRank(writer);
        const auto name = writer.string("gemm");
        CHECK(writer.string("gemm") == name);
        writer.addKernel(kernel(rank, 50, name));
        KernelRow full = kernel(rank, 20, name);
        full.correlation = 7;
        full.cls = OpClass::gemm;
        writer.addKernel(full);
        writer.finish();
    }
    const Profile profile(folder / "p.db");
    std::vector<KernelRow> rows;
    profile.forEachKernel([&](const KernelView& view) {
        CHECK(view.name == "gemm");
        rows.push_back(view);
    });
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].start == 20);
    CHECK(rows[0].correlation == 7);
    CHECK(rows[0].cls == OpClass::gemm);
    CHECK_FALSE(rows[1].correlation);
    CHECK_FALSE(profile.ranks().at(0).rank);
}

TEST_CASE("an atomic file appears only when finished and replaces the old one whole", "[store]") {
    const TempFolder folder;
    const auto target = folder.write("p.db", "old");
    {
        ProfileWriter writer(target);
        addRank(writer);
    }
    CHECK(std::filesystem::file_size(target) == 3);
    CHECK(folder.entries() == 1);
    {
        ProfileWriter writer(target);
        addRank(writer);
        writer.finish();
    }
    CHECK(Profile(target).ranks().size() == 1);
    CHECK(folder.entries() == 1);
}

TEST_CASE("what a live file committed survives kill -9", "[store]") {
    const TempFolder folder;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ProfileWriter writer(folder / "p.db", WriteMode::live);
        const auto rank = addRank(writer);
        const auto name = writer.string("k");
        for (int i = 0; i < 1000; ++i) writer.addKernel(kernel(rank, i, name));
        writer.commit();
        for (int i = 0; i < 1000; ++i) writer.addKernel(kernel(rank, i, name));
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    CHECK(Profile(folder / "p.db").count("kernels") == 1000);
}

TEST_CASE("a file that is no profile of this program is refused with the mend", "[store][errors]") {
    const TempFolder folder;
    const auto made = [&](const char* name) {
        ProfileWriter writer(folder / name);
        addRank(writer);
        writer.finish();
        return folder / name;
    };
    const auto newer = made("newer.db");
    patch(newer, 60, 99);
    CHECK_THROWS_WITH(Profile(newer), Catch::Contains("version 99") && Catch::Contains("newer orrery"));
    const auto foreign = made("foreign.db");
    patch(foreign, 68, 1);
    CHECK_THROWS_WITH(Profile(foreign), Catch::Contains("not an Orrery profile"));
    CHECK_FALSE(isProfile(foreign));
    CHECK_THROWS_WITH(Profile(folder.write("text.db", "hello")), Catch::Contains("not an Orrery profile"));
    CHECK_THROWS_WITH(Profile(folder.write("empty.db", "")), Catch::Contains("empty"));
    CHECK_THROWS_WITH(Profile(folder / "absent.db"), Catch::Contains("no such file"));
    CHECK_THROWS_AS(Profile(folder.path()), InputError);
}

TEST_CASE("a profile whose pages are damaged ends in an error, not in a crash", "[store][hostile]") {
    const TempFolder folder;
    const auto file = folder / "p.db";
    {
        ProfileWriter writer(file);
        const auto rank = addRank(writer);
        for (int i = 0; i < 5000; ++i) writer.addKernel(kernel(rank, i, writer.string(std::to_string(i))));
        writer.finish();
    }
    const auto size = std::filesystem::file_size(file);
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = 4096; at + 64 < size; at += 512) {
        out.seekp(static_cast<std::streamoff>(at));
        out << std::string(64, '\xA5');
    }
    out.close();
    CHECK_THROWS_AS(Profile(file).forEachKernel([](const KernelView&) {}), InputError);
    std::filesystem::resize_file(file, 4096);
    CHECK_THROWS_AS(Profile(file).forEachKernel([](const KernelView&) {}), InputError);
}
