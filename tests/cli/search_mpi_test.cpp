// orrery search under the real mpirun: the same answer as one process, and what is left when a process dies.
#include <cstdio>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

// As root (containers) mpirun wants to be told twice; the variables say so without an option that older ones refuse.
const std::string kMpirun =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; mpirun --oversubscribe --bind-to none ";

bool withoutMpirun() {
    if (test::runProgram("command -v mpirun").exitCode == 0) return false;
    std::printf("skipped: no mpirun here\n");
    return true;
}

}  // namespace

TEST_CASE("four processes find what one finds, bit for bit", "[cli][search][mpi]") {
    if (withoutMpirun()) return;
    const std::string scenario = ORRERY_SOURCE_DIR "/examples/gpt3-175b-64-a100.toml";
    const auto answer = [&](const std::string& launcher) {
        const auto run =
            test::runProgram(fmt::format("{} {}/orrery search {} --json", launcher, ORRERY_BIN_DIR, scenario));
        INFO(run.output);
        REQUIRE(run.exitCode == 0);
        auto json = nlohmann::json::parse(run.output.substr(run.output.find('{')));
        json.erase("seconds");
        json.erase("evaluated_per_second");
        return json;
    };
    const auto alone = answer("");
    CHECK(alone["best"].size() == 10);
    CHECK(answer(kMpirun + "-n 4") == alone);
    CHECK(answer(kMpirun + "-n 3") == alone);
}

TEST_CASE("when a process of the job is killed, what was found is told", "[cli][search][mpi]") {
    if (withoutMpirun()) return;
    const test::TempFolder folder;
    // mpirun gives the others a second to end; on a machine with other work that can be too short, hence the timeout.
    // A minute of work or more on any machine, of which listing the plans is a small part.
    folder.write("job.toml", R"([model]
preset = "deepseek-v3"
[cluster]
preset = "dgx-h100"
gpus = 2048
[workload]
sequence_length = 4096
global_batch = 15360
)");
    const auto run = test::runProgram(
        fmt::format("export OMPI_MCA_odls_base_sigkill_timeout=20; cd {} && {{ {} -n 4 {}/orrery search job.toml "
                    "--exhaustive --top 3 & }} ; job=$!; "
                    "for i in $(seq 100); do [ $(pgrep -c -P $job orrery) = 4 ] && break; sleep 0.1; done; sleep 6; "
                    "kill -9 $(pgrep -P $job orrery | tail -n 1); wait $job; echo code $?",
                    folder.path().string(), kMpirun, ORRERY_BIN_DIR));
    INFO(run.output);
    CHECK_THAT(run.output, Contains("INTERRUPTED"));
    CHECK_THAT(run.output, Contains("a process of the MPI job was lost"));
    CHECK_THAT(run.output, Contains("tp ") && Contains("schedule") && Contains("legal plans costed"));
    CHECK_THAT(run.output, !Contains("code 0"));
}
