// Capture control on real processes: windows, limits, files that follow one another, signals, the socket, dry run.
#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/profiler/gpu_recording.hpp"

namespace orrery::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Numbers of the steps whose kernels, all five of them, are in the profile.
std::set<int> stepsWithKernels(const GpuProcess& process) {
    std::map<int, int> kernels;
    for (const auto& kernel : process.kernels) {
        int step = -1;
        if (std::sscanf(kernel.name.c_str(), "kernel of step %d", &step) == 1) ++kernels[step];
    }
    std::set<int> whole;
    for (const auto& [step, count] : kernels) {
        if (count == 5) whole.insert(step);
    }
    return whole;
}

std::set<int> stepRanges(const std::filesystem::path& file) {
    std::set<int> steps;
    Profile(file).forEachRange([&](const RangeView& view) {
        if (const auto step = view.integer("step")) steps.insert(static_cast<int>(*step));
    });
    return steps;
}

}  // namespace

TEST_CASE("option --steps records whole steps with their kernels and no others", "[capture]") {
    const TempFolder folder;
    const ProgramRun run =
        runGpu(folder, "steps 40", "--steps 4 --start-step 10 --drain-ms 5", "ORRERY_GPU_FLUSH_MS=5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto file = onlyProfile(folder);
    const GpuProcess process = readGpu(file);
    const auto ranges = stepRanges(file);
    REQUIRE(ranges.size() >= 4);
    CHECK(*ranges.begin() >= 10);
    CHECK(*ranges.begin() <= 20);  // the machine may be busy; exact decisions are tested apart
    const auto kernels = stepsWithKernels(process);
    const std::vector<int> whole(ranges.begin(), std::next(ranges.begin(), 4));
    for (const int step : whole) CHECK(kernels.contains(step));
    CHECK(ranges.size() <= 8);
    const auto windows = Profile(file).captureWindows();
    REQUIRE(windows.size() == 1);
    CHECK(windows[0].reason.starts_with("step "));
    CHECK(windows[0].end.has_value());
    CHECK(contains(process.metadata.at("capture"), "40 steps seen"));
}

TEST_CASE("where kernel records cannot be disabled safely those outside of windows are dropped and counted",
          "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "steps 30", "--steps 2 --start-step 5 --drain-ms 5",
                                  "FAKE_CUPTI_VERSION=130000 ORRERY_GPU_FLUSH_MS=5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const GpuProcess process = readGpu(onlyProfile(folder));
    CHECK(process.losses.at("gpu_out_of_window") >= 50);
    CHECK(static_cast<std::int64_t>(process.kernels.size()) + process.losses.at("gpu_out_of_window") == 30 * 5);
}

TEST_CASE("option --every opens windows again and again", "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "steps 60", "--steps 2 --every 300ms --drain-ms 5", "ORRERY_GPU_FLUSH_MS=5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    CHECK(Profile(onlyProfile(folder)).captureWindows().size() >= 2);
}

TEST_CASE("files that follow one another are each a profile, the newest stay, and kill -9 hurts none", "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "steps 60", "--rotate 100k --keep 3 --drain-ms 5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    CHECK(files.size() == 3);
    std::set<int> steps;
    std::size_t kernels = 0;
    for (const auto& file : files) {
        const Profile profile(file);
        CHECK(profile.ranks().size() == 1);
        CHECK(profile.clockSamples().size() >= 1);
        for (const int step : stepRanges(file)) steps.insert(step);
        kernels += readGpu(file).kernels.size();
    }
    CHECK(steps.contains(59));
    CHECK(kernels > 0);

    const TempFolder killed;
    runGpu(killed, "kill 3000", "--rotate 100k --drain-ms 5");
    std::size_t early = 0;
    for (const auto& file : profilesIn(killed / "out")) {
        for (const auto& kernel : readGpu(file).kernels) early += kernel.name == "early" ? 1 : 0;
    }
    CHECK(early == 3000);
}

TEST_CASE("option --max-size ends recording and the program goes on", "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "steps 40", "--max-size 100k --drain-ms 5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto file = onlyProfile(folder);
    CHECK(contains(readGpu(file).metadata.at("capture"), "size limit"));
    CHECK(stepRanges(file).size() < 40);
}

TEST_CASE("a signal starts a paused recording, another one stops it", "[capture]") {
    const TempFolder folder;
    const std::string script =
        "sh -c '" + kCudaProgram + " steps 60 & p=$!; sleep 0.4; kill -USR2 $p; sleep 0.4; kill -USR2 $p; wait $p'";
    const ProgramRun run = runAgent(folder, script, "--paused --signal USR2 --drain-ms 5 --cupti " + kFakeCupti,
                                    "FAKE_CUPTI=" + kFakeCupti);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto file = onlyProfile(folder);
    const auto steps = stepRanges(file);
    CHECK(!steps.empty());
    CHECK_FALSE(steps.contains(0));
    CHECK_FALSE(steps.contains(59));
    CHECK(Profile(file).captureWindows().size() == 1);
}

TEST_CASE("orrery-agent ctl starts, asks and stops; others are told what to do", "[capture]") {
    const TempFolder folder;
    const std::string ctl = kAgent + " ctl ";
    const std::string script = "sh -c '" + kCudaProgram + " steps 80 & p=$!; sleep 0.3; " + ctl + "status $p; " + ctl +
                               "start $p; sleep 0.4; " + ctl + "status $p; " + ctl + "stop $p; " + ctl +
                               "status $p; wait $p; " + ctl + "status $p'";
    const ProgramRun run = runAgent(folder, script, "--paused --control --drain-ms 5 --cupti " + kFakeCupti,
                                    "XDG_RUNTIME_DIR=" + folder.path().string() + " FAKE_CUPTI=" + kFakeCupti);
    INFO(run.output);
    CHECK(contains(run.output, "off, "));
    CHECK(contains(run.output, "on (since command)"));
    CHECK(contains(run.output, "does not listen"));  // it is over by then
    const auto steps = stepRanges(onlyProfile(folder));
    CHECK(!steps.empty());
    CHECK_FALSE(steps.contains(0));
    CHECK_FALSE(steps.contains(79));
    CHECK(std::filesystem::is_empty(folder / "orrery"));  // the socket went with its process
    CHECK((std::filesystem::status(folder / "orrery").permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);
}

TEST_CASE("option --max-overhead measures recording by steps with and without it and keeps the figure", "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "steps 60", "--max-overhead 5% --drain-ms 2", "ORRERY_GPU_FLUSH_MS=5");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto file = onlyProfile(folder);
    CHECK(contains(readGpu(file).metadata.at("overhead"), "% of a step, by "));
    CHECK(Profile(file).captureWindows().size() >= 2);
    const ProgramRun info = runProgram(ORRERY_BIN_DIR "/orrery info " + file.string());
    CHECK(contains(info.output, "overhead: "));
}

TEST_CASE("option --dry-run says when and what would be recorded, and runs nothing", "[capture]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, "touch " + (folder / "ran").string(),
                                    "--dry-run --steps 3 --every 10m --max-size 2G --control --signal USR2");
    CHECK(run.exitCode == 0);
    CHECK(contains(run.output, "3 whole steps, again every 600 s"));
    CHECK(contains(run.output, "2147483648 bytes"));
    CHECK(contains(run.output, "CUDA_INJECTION64_PATH="));
    CHECK(contains(run.output, "ORRERY_CAPTURE=steps=3,every=600000000000"));
    CHECK_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST_CASE("options of capture that make no sense are refused with the mend", "[capture]") {
    const std::string options = GENERATE("--every 10m", "--keep 2", "--paused", "--steps 0", "--every 1s --duration 2s",
                                         "--max-size 5X", "--signal KILL", "--max-overhead 200%", "--duration 5");
    CAPTURE(options);
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, "true", options);
    INFO(run.output);
    CHECK(run.exitCode == 2);
    CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
}

}  // namespace orrery::test
