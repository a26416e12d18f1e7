// Every command of the tutorials and of the worked capacity plans runs, as it is printed, on the real programs.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string read(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// What stands in the ```sh blocks of a page, one after the other.
std::string shellBlocks(const std::string& page) {
    std::string script;
    std::istringstream lines(page);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sh";
        } else if (inside) {
            script += line + '\n';
        }
    }
    return script;
}

/// In an empty folder beside a link to the examples, with the built programs on the PATH.
test::ProgramRun runScript(const test::TempFolder& folder, const std::string& script) {
    folder.write("script.sh", fmt::format("set -euo pipefail\nexport PATH={}:$PATH\n{}", ORRERY_BIN_DIR, script));
    return test::runProgram(fmt::format("cd {} && ln -s {}/examples examples && bash script.sh", folder.path().string(),
                                        ORRERY_SOURCE_DIR));
}

std::string tutorial(const test::TempFolder& folder, const std::string& name) {
    const std::string script = shellBlocks(read(fmt::format("{}/docs/tutorials/{}.md", ORRERY_SOURCE_DIR, name)));
    REQUIRE(std::count(script.begin(), script.end(), '\n') > 4);
    const auto run = runScript(folder, script);
    INFO(run.output);
    CHECK(run.exitCode == 0);
    return run.output;
}

}  // namespace

TEST_CASE("the performance engineer's tutorial runs", "[cli][tutorial]") {
    if (test::runProgram("command -v mpirun").exitCode != 0) {
        std::printf("skipped: no mpirun here\n");
        return;
    }
    const test::TempFolder folder;
    tutorial(folder, "performance-engineer");
    CHECK_THAT(read(folder / "report.html"), Contains("</html>"));
    CHECK(std::filesystem::file_size(folder / "predicted.pftrace") > 1000);
}

TEST_CASE("the cluster operator's tutorial runs", "[cli][tutorial]") {
    if (test::runProgram("command -v mpirun").exitCode != 0) {
        std::printf("skipped: no mpirun here\n");
        return;
    }
    const test::TempFolder folder;
    const std::string said = tutorial(folder, "cluster-operator");
    CHECK_THAT(said, Contains("network_bandwidth") && Contains("the scenario's own plan"));
}

TEST_CASE("the capacity planner's tutorial runs", "[cli][tutorial]") {
    const test::TempFolder folder;
    const std::string said = tutorial(folder, "capacity-planner");
    CHECK_THAT(said, Contains("fewest GPUs for 30 days") && Contains("500000 buys"));
    CHECK_THAT(read(folder / "plan.html"), Contains("days-") || Contains("svg class=\"days\""));
}

TEST_CASE("the worked capacity plans give the reports that stand beside them", "[cli][capacity][examples]") {
    int plans = 0;
    for (const auto& entry : std::filesystem::directory_iterator(ORRERY_SOURCE_DIR "/examples/capacity")) {
        if (entry.path().extension() != ".toml") continue;
        ++plans;
        const std::string text = read(entry.path());
        const std::size_t command = text.find("#   orrery capacity");
        REQUIRE(command != std::string::npos);
        const test::TempFolder folder;
        const auto run =
            runScript(folder, text.substr(command + 4, text.find('\n', command) - command - 4) + " -o report.html\n");
        INFO(run.output);
        REQUIRE(run.exitCode == 0);
        CHECK(read(folder / "report.html") == read(std::filesystem::path(entry.path()).replace_extension(".html")));
    }
    CHECK(plans == 3);
}
