// Every scenario in examples/ is read and predicted by the real program, and its figures are possible.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"

using namespace orrery;

TEST_CASE("the example scenarios run", "[cli][examples]") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(ORRERY_SOURCE_DIR "/examples")) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    REQUIRE(files.size() >= 5);
    for (const auto& file : files) {
        const auto run = test::runProgram(fmt::format("{}/orrery predict {} --json", ORRERY_BIN_DIR, file.string()));
        INFO(file << ": " << run.output);
        REQUIRE(run.exitCode == 0);
        const auto json = nlohmann::json::parse(run.output);
        CHECK(json["step_s"].get<double>() > 0.0);
        CHECK(json["mfu"].get<double>() > 0.1);
        CHECK(json["mfu"].get<double>() < 0.8);
        double sum = 0.0;
        for (const auto& [part, seconds] : json["breakdown_s"].items()) sum += seconds.get<double>();
        CHECK(sum == Approx(json["step_s"].get<double>()).epsilon(1e-6));
    }
}
