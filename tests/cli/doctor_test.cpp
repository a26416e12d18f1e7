// orrery doctor names what is there and, for what is not, the mend.
#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {
const std::string kDoctor = std::string(ORRERY_BIN_DIR) + "/orrery doctor";
}

TEST_CASE("doctor lists every check and ends well whatever the machine has", "[doctor]") {
    const ProgramRun run = runProgram(kDoctor);
    CHECK(run.exitCode == 0);
    for (const char* name : {"cpu", "catalog", "agent", "nvtx_injection", "mpi", "nvidia_gpus", "cupti", "nccl", "gui"})
        CHECK_THAT(run.output, Contains(name));
}

TEST_CASE("doctor finds programs by PATH, and says the mend when they are not there", "[doctor]") {
    const TempFolder folder;
    const auto mpirun = folder.write("mpirun", "#!/bin/sh\n");
    const std::string only = "PATH=" + folder.path().string() + " " + kDoctor + " --json";
    CHECK_THAT(runProgram(only).output, Contains("\"mend\": \"apt-get install openmpi-bin\""));  // not executable
    std::filesystem::permissions(mpirun, std::filesystem::perms::owner_all);
    const ProgramRun run = runProgram(only);
    CHECK(run.exitCode == 0);
    CHECK_THAT(run.output, Contains("\"found\": \"" + mpirun.string() + "\""));
    CHECK_THAT(run.output, !Contains("openmpi-bin"));
    CHECK_THAT(run.output, Contains("apt-get install chromium"));
}

TEST_CASE("doctor refuses a catalog folder that does not exist", "[doctor]") {
    const ProgramRun run = runProgram("ORRERY_CATALOG=/nonexistent " + kDoctor);
    CHECK(run.exitCode == 2);
    CHECK_THAT(run.output, Contains("/nonexistent: no such directory"));
}
