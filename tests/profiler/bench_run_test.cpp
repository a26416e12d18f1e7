// orrery-agent bench: what it records, a calibration is made from.
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/profiler/recording.hpp"

namespace orrery::test {

TEST_CASE("a sweep of two processes is a profile from which kernels and collectives are calibrated", "[bench]") {
    if (runProgram("command -v mpirun").exitCode != 0) {
        std::printf("skipped: no mpirun here\n");
        return;
    }
    const TempFolder folder;
    const std::string job = (folder / "job.db").string();
    const std::string calibration = (folder / "cal.json").string();
    const ProgramRun run = runProgram(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_hwloc_base_binding_policy=none " +
        kAgent + " bench --quick --repeats 3 --ranks 2 -o " + (folder / "out").string() +
        " && " ORRERY_BIN_DIR "/orrery import " + (folder / "out").string() + " -o " + job +
        " && " ORRERY_BIN_DIR "/orrery calibrate " + job + " -o " + calibration);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const Profile profile(job);
    CHECK(profile.ranks().size() == 2);
    std::set<OpClass> collectives;
    profile.forEachCollective([&](const CollectiveView& view) {
        collectives.insert(view.kind);
        CHECK(view.bytes > 0);
    });
    CHECK(collectives == std::set<OpClass>{OpClass::allReduce, OpClass::allGather, OpClass::reduceScatter,
                                           OpClass::allToAll, OpClass::broadcast, OpClass::sendRecv});
    std::ifstream in(calibration);
    const auto json = nlohmann::json::parse(in);
    CHECK(json.dump().find("gemm") != std::string::npos);
    CHECK(json.dump().find("attention") != std::string::npos);
}

TEST_CASE("without a GPU its sweep says what is missing", "[bench]") {
    if (runProgram("ldconfig -p | grep -q libcuda.so.1").exitCode == 0) {
        std::printf("skipped: a CUDA driver is here\n");
        return;
    }
    const TempFolder folder;
    const ProgramRun run = runProgram(kAgent + " bench --device gpu -o " + (folder / "out").string());
    INFO(run.output);
    CHECK(run.exitCode == 2);
    CHECK(run.output.find("libcuda.so.1") != std::string::npos);
    CHECK(std::filesystem::is_empty(folder / "out"));
}

}  // namespace orrery::test
