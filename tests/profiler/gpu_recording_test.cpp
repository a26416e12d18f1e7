// GPU work of real processes under the real agent, fed by the stand-in libcupti (tests/profiler/fake_cupti).
#include "tests/profiler/gpu_recording.hpp"

#include <cstdio>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace orrery::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("kernels arrive with name, times, device, stream and correlation, and orrery info counts them", "[gpu]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "kernels 5000");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    CHECK(contains(run.output, "5000 kernels"));
    const auto file = onlyProfile(folder);
    const GpuProcess process = readGpu(file);
    REQUIRE(process.kernels.size() == 5000);
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        const auto& kernel = process.kernels[i];
        REQUIRE(kernel.name == "gemm_kernel");
        REQUIRE(kernel.correlation == static_cast<std::int64_t>(i + 1));
        REQUIRE(kernel.stream == 7);
        REQUIRE(kernel.duration == Approx(1000).margin(2));
        if (i > 0) REQUIRE(kernel.start - process.kernels[i - 1].start == Approx(2000).margin(2));
    }
    for (const auto& [kind, count] : process.losses) {
        INFO(kind);
        CHECK(count == 0);
    }
    const ProgramRun info = runProgram(ORRERY_BIN_DIR "/orrery info --json " + file.string());
    const auto json = nlohmann::json::parse(info.output);
    CHECK(json["profiles"][0]["devices"][0]["kernels"] == 5000);
    CHECK(json["profiles"][0]["losses"]["gpu_dropped"] == 0);
}

TEST_CASE("every kind of record is kept, in every version of its layout", "[gpu]") {
    // API versions: CUDA 11.2, 11.6, 11.8, 12.0, 12.4, 12.8, 12.9, 13.0.1 and one that does not exist yet.
    const std::string version = GENERATE("15", "17", "18", "19", "22", "26", "27", "130001", "140500");
    CAPTURE(version);
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "every-kind", "", "FAKE_CUPTI_VERSION=" + version);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto file = onlyProfile(folder);
    const GpuProcess process = readGpu(file);
    REQUIRE(process.kernels.size() == 2);
    CHECK(process.kernels[0].name.starts_with("ncclDevKernel_AllReduce"));
    CHECK(process.kernels[0].duration == Approx(5000).margin(2));
    CHECK_FALSE(process.kernels[0].graphNode.has_value());
    CHECK(process.kernels[1].graphNode == 77);
    CHECK(process.kernels[1].device == 3);
    REQUIRE(process.copies.size() == 3);
    CHECK(process.copies[0].name == "Memcpy HtoD (Pinned -> Device)");
    CHECK(process.copies[0].bytes == 4096);
    CHECK(process.copies[0].correlation == 13);
    CHECK(process.copies[1].name == "Memcpy PtoP (Pinned -> Device)");
    CHECK(process.copies[1].correlation == 14);
    CHECK(process.copies[2].isMemset);
    CHECK(process.copies[2].name == "Memset (Device)");

    const Profile profile(file);
    CHECK(profile.count("api_calls") == 2);
    profile.forEachApiCall([&](const ApiCallView& call) {
        CHECK((call.name == "cudaLaunchKernel" || call.name == "cuLaunchKernel"));
        CHECK(call.thread == 4242);
        CHECK(call.correlation == 11);
    });
    CHECK(profile.count("synchronizations") == 1);
    profile.forEachSynchronization([&](const SynchronizationView& wait) {
        CHECK(wait.name == "Stream Sync");
        CHECK(wait.stream == 7);
        CHECK_FALSE(wait.event.has_value());
        CHECK(wait.duration == Approx(7000).margin(2));
    });
    CHECK(profile.count("cuda_events") == 1);
    const bool timed = std::stoi(version) >= 26;
    profile.forEachCudaEvent([&](const CudaEventRow& event) {
        CHECK(event.event == 9);
        CHECK(event.time.has_value() == timed);
        if (timed) CHECK(*event.time - process.kernels[0].start == Approx(50'000).margin(2));
    });
    CHECK(profile.count("profiling_overheads") == 1);
    profile.forEachProfilingOverhead(
        [&](const ProfilingOverheadView& overhead) { CHECK(overhead.name == "Activity Buffer Flush"); });
    profile.forEachExternalCorrelation([&](const ExternalCorrelationRow& row) {
        CHECK(row.externalId == 555);
        CHECK(row.correlation == 11);
    });
    CHECK(profile.count("external_correlations") == 1);
    if (std::stoi(version) >= 18) {  // before, the record of a device is another
        REQUIRE(profile.devices().size() == 1);
        CHECK(profile.devices().front().name == "Stand-in H200");
        CHECK(profile.devices().front().multiprocessors == 132);
    }
    for (const auto& [kind, count] : process.losses) {
        INFO(kind);
        CHECK(count == 0);
    }
}

TEST_CASE("an import keeps what was recorded of the GPU and classifies its kernels", "[gpu]") {
    const TempFolder folder;
    REQUIRE(runGpu(folder, "every-kind").exitCode == 0);
    const auto job = folder / "job.db";
    const ProgramRun import =
        runProgram(ORRERY_BIN_DIR "/orrery import " + (folder / "out").string() + " -o " + job.string());
    INFO(import.output);
    REQUIRE(import.exitCode == 0);
    const Profile profile(job);
    for (const char* table : {"api_calls", "synchronizations", "cuda_events", "profiling_overheads",
                              "external_correlations", "kernels", "copies", "gpu_clock_samples"}) {
        INFO(table);
        CHECK(profile.count(table) == Profile(onlyProfile(folder)).count(table));
    }
    profile.forEachKernel([](const KernelView& kernel) {
        CHECK(kernel.cls == (kernel.name.starts_with("nccl") ? OpClass::allReduce : OpClass::gemm));
    });
}

TEST_CASE("records that cannot be placed are counted by their reason, the others stay", "[gpu]") {
    SECTION("without times") {
        const GpuProcess process = recordGpu("zero-times 20");
        CHECK(process.kernels.size() == 20);
        CHECK(process.losses.at("gpu_without_times") == 3);
    }
    SECTION("out of the window") {
        const GpuProcess process = recordGpu("out-of-window 20");
        CHECK(process.kernels.size() == 20);
        CHECK(process.losses.at("gpu_out_of_window") == 2);
    }
    SECTION("completed in any order") {
        const GpuProcess process = recordGpu("unordered 500");
        REQUIRE(process.kernels.size() == 500);
        for (std::size_t i = 0; i < 500; ++i)
            REQUIRE(process.kernels[i].correlation == static_cast<std::int64_t>(i + 1));
        CHECK(process.losses.at("gpu_out_of_window") == 0);
    }
    SECTION("buffers of another tool") {
        const GpuProcess process = recordGpu("foreign 20");
        CHECK(process.kernels.size() == 20);
        CHECK(process.losses.at("gpu_foreign_buffers") == 1);
    }
}

TEST_CASE("when buffers run out records are dropped and each is counted", "[gpu]") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "held 2000", "", "ORRERY_CUPTI_BUFFERS=2 ORRERY_CUPTI_BUFFER_KIB=16");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const GpuProcess process = readGpu(onlyProfile(folder));
    CHECK(process.losses.at("gpu_dropped") > 0);
    CHECK(process.losses.at("gpu_buffers_refused") > 0);
    CHECK(static_cast<std::int64_t>(process.kernels.size()) + process.losses.at("gpu_dropped") == 2000);
    CHECK(contains(run.output, "gpu_dropped"));
    const ProgramRun info = runProgram(ORRERY_BIN_DIR "/orrery info " + process.file.string());
    CHECK(contains(info.output, "LOST: "));
    CHECK(contains(info.output, "gpu_dropped"));
}

TEST_CASE("versions of CUPTI that a refusal can crash get more buffers instead", "[gpu]") {
    const GpuProcess process =
        recordGpu("held 2000", "", "FAKE_CUPTI_VERSION=26 ORRERY_CUPTI_BUFFERS=2 ORRERY_CUPTI_BUFFER_KIB=16");
    CHECK(process.kernels.size() == 2000);
    CHECK(process.losses.at("gpu_dropped") == 0);
    CHECK(process.losses.at("gpu_buffers_refused") > 0);
}

TEST_CASE("names are kept although CUPTI frees them once a buffer is handed out", "[gpu]") {
    const GpuProcess process = recordGpu("names 300");
    REQUIRE(process.kernels.size() == 300);
    std::set<std::string> names;
    for (const auto& kernel : process.kernels) names.insert(kernel.name);
    CHECK(names.size() == 300);
    CHECK(names.contains("kernel_299"));
}

TEST_CASE("kernels launched by several threads at once all arrive", "[gpu]") {
    const GpuProcess process = recordGpu("threads 3000");
    CHECK(process.kernels.size() == 12'000);
}

TEST_CASE("buffers that are not complete come with the forced flush at exit", "[gpu]") {
    const GpuProcess process = recordGpu("held 100");
    CHECK(process.kernels.size() == 100);
}

TEST_CASE("what was handed out survives every end of the process", "[gpu]") {
    const std::string mode = GENERATE("exit", "_exit", "abort", "kill");
    CAPTURE(mode);
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, mode + " 50");
    INFO(run.output);
    const GpuProcess process = readGpu(onlyProfile(folder));
    std::map<std::string, int> count;
    for (const auto& kernel : process.kernels) ++count[kernel.name];
    CHECK(count["early"] == 50);
    if (mode == "exit") CHECK(count["late"] == 50);
    const ProgramRun info = runProgram(ORRERY_BIN_DIR "/orrery info --json " + process.file.string());
    CHECK(nlohmann::json::parse(info.output)["profiles"][0]["devices"][0]["kernels"] == process.kernels.size());
}

TEST_CASE("without a driver ranges are recorded and the profile says why kernels are not", "[gpu]") {
    const std::string stage = GENERATE("FAKE_CUPTI_SUBSCRIBE=999", "FAKE_CUPTI_ENABLE=999");
    CAPTURE(stage);
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "with-ranges 5", "", stage);
    INFO(run.output);
    CHECK(run.exitCode == 0);
    CHECK(contains(run.output, "kernels are not recorded: no NVIDIA driver"));
    const GpuProcess process = readGpu(onlyProfile(folder));
    CHECK(process.kernels.empty());
    CHECK(contains(process.metadata.at("gpu"), "999"));
    CHECK(Profile(process.file).count("ranges") == 5);
}

TEST_CASE("another profiler that has CUPTI is named; ranges go on, or the process ends, as asked", "[gpu]") {
    const std::string conflict = "FAKE_CUPTI_SUBSCRIBE=39 FAKE_CUPTI_HOLDER=kineto";
    SECTION("stand down") {
        const TempFolder folder;
        const ProgramRun run = runGpu(folder, "with-ranges 5", "", conflict);
        INFO(run.output);
        CHECK(run.exitCode == 0);
        CHECK(contains(run.output, "'kineto'"));
        CHECK(Profile(onlyProfile(folder)).count("ranges") == 5);
    }
    SECTION("refuse") {
        const TempFolder folder;
        const ProgramRun run = runGpu(folder, "with-ranges 5", "--on-conflict refuse", conflict);
        INFO(run.output);
        CHECK(run.exitCode == 2);
        CHECK(contains(run.output, "'kineto'"));
    }
}

TEST_CASE("a kind that a device does not support is left out and named", "[gpu]") {
    const GpuProcess process = recordGpu("every-kind", "", "FAKE_CUPTI_REFUSED_KIND=36");
    CHECK(process.kernels.size() == 2);
    CHECK(process.metadata.at("gpu_not_recorded") == "CUDA events");
}

TEST_CASE("no libcupti, or a file that is none, records ranges only", "[gpu]") {
    const std::string file = GENERATE("/nonexistent/libcupti.so", ORRERY_LIB_DIR "/libnvtx_plugin.so");
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "kernels 5", "--cupti " + file);
    INFO(run.output);
    CHECK(run.exitCode == 0);
    CHECK(contains(run.output, file));
    CHECK(readGpu(onlyProfile(folder)).kernels.empty());
}

TEST_CASE("option --gpu chooses what is recorded", "[gpu]") {
    SECTION("kernels only") {
        const TempFolder folder;
        REQUIRE(runGpu(folder, "every-kind", "--gpu kernels").exitCode == 0);
        const GpuProcess process = readGpu(onlyProfile(folder));
        CHECK(process.kernels.size() == 2);
        CHECK(process.copies.empty());
        CHECK(Profile(process.file).count("api_calls") == 0);
    }
    SECTION("nothing") {
        const TempFolder folder;
        const ProgramRun run = runGpu(folder, "kernels 5", "--gpu none");
        CHECK(run.exitCode == 0);
        CHECK(profilesIn(folder / "out").empty());
    }
    SECTION("a word that does not exist") {
        const TempFolder folder;
        CHECK(runGpu(folder, "kernels 5", "--gpu kernel").exitCode == 2);
    }
}

TEST_CASE("a child made by fork does not touch the parent's CUPTI", "[gpu]") {
#if defined(__SANITIZE_THREAD__)
    std::printf("skipped: the thread sanitizer cannot follow threads that start after a fork\n");
    return;
#endif
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, "fork 20");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 2);
    std::multiset<std::size_t> counts;
    for (const auto& file : files) counts.insert(readGpu(file).kernels.size());
    CHECK(counts == std::multiset<std::size_t>{0, 40});
}

TEST_CASE("the GPU's clock is followed: a drift is measured, a change of clocks is bridged", "[gpu]") {
    SECTION("drift") {
        const GpuProcess process = recordGpu("clock");
        CHECK(process.kernels.size() == 120);
        CHECK(std::stod(process.metadata.at("gpu_clock_drift_ppm")) == Approx(-200).margin(20));
        CHECK(process.losses.at("gpu_clock_changes") == 0);
    }
    SECTION("another tool's clock") {
        const GpuProcess process = recordGpu("clock-change");
        CHECK(process.losses.at("gpu_clock_changes") == 1);
        std::map<std::string, int> count;
        for (const auto& kernel : process.kernels) ++count[kernel.name];
        CHECK(count["before"] == 60);
        CHECK(count["after"] >= 50);
    }
}

}  // namespace orrery::test
