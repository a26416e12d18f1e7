// Logs as Megatron-LM, DeepSpeed and torchtitan print them (megatron/training/training.py, deepspeed/utils/timer.py,
// torchtitan/components/metrics.py).
#include "importers/training_log/training_log.hpp"

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::importers;
using Catch::Matchers::Contains;

namespace {

const std::string kMegatron = R"(using world size: 64, data-parallel size: 2
 [2026-08-22 15:22:02.123456] iteration        1/     500 | consumed samples:          128 | elapsed time per iteration (ms): 45012.3 | throughput per GPU (TFLOP/s/GPU): 160.1 | learning rate: 1.000000E-06 | global batch size:   128 | lm loss: 1.204E+01 | loss scale: 1.0 | grad norm: 10.533 | number of skipped iterations:   0 | number of nan iterations:   0 |
[Rank 0] (after 1 iterations) memory (MB) | allocated: 30720.0 | max allocated: 61440.0 | reserved: 65536.0 | max reserved: 71680.0
[Rank 56] (after 1 iterations) memory (MB) | allocated: 30720.0 | max allocated: 40960.0 | reserved: 65536.0 | max reserved: 51200.0
 [2026-08-22 15:22:22.123456] iteration        2/     500 | consumed samples:          256 | elapsed time per iteration (ms): 11000.0 | throughput per GPU (TFLOP/s/GPU): 655.1 | learning rate: 1.000000E-06 | global batch size:   128 | lm loss: 1.2E+01 | loss scale: 1.0 | number of skipped iterations:   1 | number of nan iterations:   0 |
(min, max) time across ranks (ms):
    forward-backward ...............................: (10234.56, 10240.10)
    optimizer ......................................: (100.00, 120.00)
 [2026-08-22 15:22:33.123456] iteration        3/     500 | consumed samples:          384 | elapsed time per iteration (ms): 10900.0 | throughput per GPU (TFLOP/s/GPU): 660.0 | learning rate: 1.0E-06 | global batch size:   128 | lm loss: 1.2E+01 | number of skipped iterations:   0 | number of nan iterations:   0 |
 [2026-08-22 15:22:44.123456] iteration        4/     500 | consumed samples:          512 | elapsed time per iteration (ms): 10950.0 | throughput per GPU (TFLOP/s/GPU): 658.0 | learning rate: 1.0E-06 | global batch size:   128 |
)";

TrainingLog read(const std::string& text, std::optional<std::int64_t> batch = {},
                 std::optional<std::int64_t> tokens = {}) {
    const test::TempFolder folder;
    return readTrainingLog(folder.write("train.log", text), {}, batch, tokens);
}

}  // namespace

TEST_CASE("steps, memory and timers of a Megatron-LM log", "[training_log]") {
    CHECK(isTrainingLog(kMegatron));
    const TrainingLog log = read(kMegatron);
    CHECK(log.format == "Megatron-LM");
    REQUIRE(log.steps.size() == 4);
    CHECK(log.steps[0].seconds == Approx(45.0123));
    CHECK(log.steps[1].iteration == 2);
    CHECK(log.steps[1].tflopsPerGpu == Approx(655.1));
    CHECK(log.steps[1].globalBatch == 128);
    CHECK(log.medianSeconds(1) == Approx(10.95));
    CHECK(log.medianSeconds(2) == Approx(10.925));
    CHECK(log.allocatedPeakGib == Approx(60.0));
    CHECK(log.reservedPeakGib == Approx(70.0));
    CHECK(log.skippedIterations == 1);
    REQUIRE(log.timers.size() == 2);
    CHECK(log.timers.at("forward-backward").max == Approx(10.2401));
    CHECK(log.timers.at("optimizer").min == Approx(0.1));
    CHECK(log.badLines == 0);
}

TEST_CASE("DeepSpeed's samples a second become steps by the batch that the log or the scenario knows",
          "[training_log]") {
    const std::string text =
        "[2026-01-01 00:00:00,1] [INFO] [config.py:1001:print]   train_batch_size ............. 256\n"
        "[INFO] [timer.py:264:stop] epoch=0/micro_step=80/global_step=10, RunningAvgSamplesPerSec=100.5, "
        "CurrSamplesPerSec=128.0, MemAllocated=12.5GB, MaxMemAllocated=30.25GB\n";
    // The dotted line of the configuration is not "train_batch_size 256": the scenario's batch counts then.
    const TrainingLog log = read(text, 256);
    CHECK(log.format == "DeepSpeed");
    REQUIRE(log.steps.size() == 1);
    CHECK(log.steps[0].seconds == Approx(2.0));
    CHECK(log.allocatedPeakGib == Approx(30.25));
    CHECK_THROWS_WITH(read(text), Contains("train_batch_size"));
}

TEST_CASE("torchtitan's tokens a second, with the colours of a terminal", "[training_log]") {
    const std::string text =
        "\x1b[31mstep: 10  \x1b[32mloss:  4.1230  \x1b[33mmemory: 47.50GiB(50.00%)  \x1b[34mtps: 6,500  "
        "\x1b[36mtflops: "
        "376.40  \x1b[35mmfu: 38.06%\x1b[39m\n";
    const TrainingLog log = read(text, {}, 65000);
    CHECK(log.format == "torchtitan");
    REQUIRE(log.steps.size() == 1);
    CHECK(log.steps[0].iteration == 10);
    CHECK(log.steps[0].seconds == Approx(10.0));
    CHECK(log.steps[0].tflopsPerGpu == Approx(376.4));
    CHECK(log.reservedPeakGib == Approx(47.5));
}

TEST_CASE("a log without a readable step is refused, and a broken line does not lose the others",
          "[training_log][wrong]") {
    CHECK_THROWS_WITH(read("hello\n"), Contains("no training step"));
    CHECK_THROWS_WITH(read(" iteration 1/2 | elapsed time per iteration (ms): fast |\n"), Contains("line 1"));
    const TrainingLog log = read(kMegatron + " iteration 5/500 | elapsed time per iteration (ms): nan |\n");
    CHECK(log.steps.size() == 4);
    CHECK(log.badLines == 1);
    CHECK_FALSE(isTrainingLog("SQLite format 3"));
    CHECK_FALSE(isTrainingLog(std::string("CurrSamplesPerSec=\0", 19)));
}
