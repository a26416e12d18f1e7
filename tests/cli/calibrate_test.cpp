// orrery calibrate on nccl-tests output: the fitted link is the one that the sweep shows.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "data/calibration/calibration_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;

TEST_CASE("calibrate takes nccl-tests output as it comes", "[cli][calibrate]") {
    const test::TempFolder folder;
    // A sweep over 8 ranks of a link with 20 us latency and 400 GB/s bus bandwidth, as all_reduce_perf prints it.
    std::string sweep =
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592\n# Collective test starting: all_reduce_perf\n";
    for (int rank = 0; rank < 8; ++rank) {
        sweep += fmt::format("#  Rank {:2} Group  0 Pid {:6} on  host device {:2} [0000:00:00] NVIDIA H100\n", rank,
                             100 + rank, rank);
    }
    sweep +=
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
        "#wrong\n";
    constexpr double kFactor = 2.0 * 7 / 8;
    for (double bytes = 1024; bytes <= 8589934592.0; bytes *= 4) {
        const double microseconds = 20.0 + bytes * kFactor / 400e9 * 1e6;
        const double algbw = bytes / microseconds * 1e-3;
        sweep += fmt::format("{:12.0f} {:12.0f} float sum -1 {:.2f} {:.2f} {:.2f} 0 {:.2f} {:.2f} {:.2f} 0\n", bytes,
                             bytes / 4, microseconds, algbw, algbw * kFactor, microseconds, algbw, algbw * kFactor);
    }
    folder.write("all_reduce.txt", sweep);
    const auto run =
        test::runProgram(fmt::format("cd '{}' && {}/orrery calibrate all_reduce.txt --link NVLink4 -o cal.json",
                                     folder.path().string(), ORRERY_BIN_DIR));
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const Calibration calibration = readCalibration(folder / "cal.json");
    REQUIRE_FALSE(calibration.collectives.empty());
    const CollectiveLaw& law = calibration.collectives.front();
    CHECK(law.kind == OpClass::allReduce);
    CHECK(law.samples >= 12);
    CHECK(law.residual < 0.1);
}
