// Cost of marking a range: without a recorder, then (the program starts itself again) recorded by liborrery_inject.so.
// Ranges come in batches with a pause between them, as jobs mark them: the drain thread keeps up with the default ring,
// and no event takes the cheaper path of a full one. The program says at its end whether any was lost.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/store/profile.hpp"
#include "profiler/nvtx/annotate.hpp"
#include "profiler/nvtx/injection.hpp"

namespace {

using namespace orrery::nvtx;

constexpr int kBatch = 1000;
constexpr int kRanges = 100 * kBatch;
constexpr int kRepetitions = 9;
constexpr auto kPause = std::chrono::milliseconds(4);

const Domain& domain() {
    static const Domain instance("bench");
    return instance;
}

/// Times batches of a call, without the pauses.
template <typename Call>
void timeBatches(benchmark::State& state, Call call) {
    while (state.KeepRunningBatch(kBatch)) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < kBatch; ++i) call();
        state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (recording()) std::this_thread::sleep_for(kPause);
    }
}

void registeredName(benchmark::State& state) {
    const Name name = domain().name("range");
    const Category category = domain().category(1, "op");
    timeBatches(state, [&] { const Range range(domain(), category, name); });
}

void inlineText(benchmark::State& state) {
    const auto push = Injection::core<int (*)(const char*)>(abi::rangePushA);
    const auto pop = Injection::core<int (*)()>(abi::rangePop);
    timeBatches(state, [&] {
        if (push != nullptr) push("a message of 24 letters.");
        if (pop != nullptr) pop();
    });
}

/// What orrery-workload marks around every operator (docs/annotations.md).
void withPayload(benchmark::State& state) {
    const Name name = domain().name("gemm");
    const Category category = domain().category(2, "op");
    const Schema schema =
        domain().schema("orrery.gemm", {{"pass"}, {"m"}, {"n"}, {"k"}, {"groups"}, {"bytes"}, {"flops"}});
    std::int64_t m = 0;
    timeBatches(state, [&] {
        const Range range(domain(), category, name, schema, {0, ++m, 4096, 1024, 1, 123456, 789012});
    });
}

void markOnly(benchmark::State& state) {
    const Name name = domain().name("mark");
    timeBatches(state, [&] { domain().mark({}, name); });
}

void addBenchmarks(const std::string& suffix) {
    const auto add = [&](const std::string& name, void (*function)(benchmark::State&), int threads) {
        auto* bench = benchmark::RegisterBenchmark((name + suffix).c_str(), function);
        bench->Iterations(kRanges)->Repetitions(kRepetitions)->ReportAggregatesOnly(true)->Threads(threads);
        bench->UseManualTime();
    };
    add("push_pop/registered_name", registeredName, 1);
    add("push_pop/inline_text", inlineText, 1);
    add("push_pop/payload_of_7", withPayload, 1);
    add("push_pop/registered_name", registeredName, 2);
    add("mark", markOnly, 1);
}

/// Starts this program again under the library; afterwards says what the profile holds.
int runRecorded(char** argv) {
    std::string folder = (std::filesystem::temp_directory_path() / "orrery-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 1;
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv(abi::kInjectionVariable, ORRERY_LIB_DIR "/liborrery_inject.so", 1);
        ::setenv("ORRERY_OUTPUT_DIR", folder.c_str(), 1);
        ::execv("/proc/self/exe", argv);
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const orrery::Profile profile(entry.path());
        std::int64_t lost = 0;
        for (const auto& loss : profile.losses()) lost += loss.count;
        std::printf("recorded: %lld ranges and marks, %lld lost\n", static_cast<long long>(profile.count("ranges")),
                    static_cast<long long>(lost));
    }
    std::filesystem::remove_all(folder);
    return status == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const bool recorded = recording();
    addBenchmarks(recorded ? "/recorded" : "/off");
    int count = argc;
    benchmark::Initialize(&count, argv);
    benchmark::RunSpecifiedBenchmarks();
    return recorded ? 0 : runRecorded(argv);
}
