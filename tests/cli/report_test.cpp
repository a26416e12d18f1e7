// orrery report as a user runs it: files by suffix, and one clear line with exit code 2 for a wrong call.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/annotated_profile.hpp"
#include "tests/support/run_program.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {
const std::string kOrrery = ORRERY_BIN_DIR "/orrery";
}

TEST_CASE("orrery report writes each format", "[cli][report]") {
    const auto folder = std::filesystem::temp_directory_path() / "orrery_cli_report";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const auto profile = folder / "job.db";
    test::writePipelineJob(profile, 3, 2);
    for (const char* suffix : {".html", ".csv", ".json", ".pftrace"}) {
        const auto out = folder / (std::string("report") + suffix);
        const auto run = test::runProgram(fmt::format("{} report {} -o {}", kOrrery, profile.string(), out.string()));
        INFO(run.output);
        CHECK(run.exitCode == 0);
        CHECK(std::filesystem::file_size(out) > 100);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("orrery report answers a wrong call with one line and exit code 2", "[cli][report]") {
    const auto folder = std::filesystem::temp_directory_path() / "orrery_cli_report_wrong";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const auto profile = folder / "job.db";
    test::writePipelineJob(profile, 2, 2);
    std::ofstream(folder / "binary.db") << "\x7F"
                                           "ELF nothing that we know";
    std::ofstream(folder / "empty.db");
    const auto refuse = [&](const std::string& arguments, const std::string& says) {
        const auto run = test::runProgram(fmt::format("cd {} && {} report {}", folder.string(), kOrrery, arguments));
        INFO(arguments << "\n" << run.output);
        CHECK(run.exitCode == 2);
        CHECK_THAT(run.output, Contains(says));
        CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
        CHECK_FALSE(std::filesystem::exists(folder / "out.html"));
    };
    refuse("job.db -o out.pdf", ".html, .csv, .json or .pftrace");
    refuse("job.db -o no/such/folder/out.html", "cannot be written");
    refuse("job.db -o out.html --skip-steps 2", "2 step(s)");
    refuse("none.db -o out.html", "none.db");
    refuse("empty.db -o out.html", "empty.db");
    refuse("binary.db -o out.html", "binary.db");
    std::filesystem::remove_all(folder);
}
