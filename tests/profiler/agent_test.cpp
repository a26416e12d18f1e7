// orrery-agent run: what it says, what it returns, and that the command feels nothing of it.
#include <cstdlib>

#include "tests/profiler/recording.hpp"

namespace orrery::test {
namespace {

bool isOneLine(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}
bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("wrong calls exit 2 with one line that says the mend", "[agent]") {
    const auto [arguments, expected] = GENERATE(table<std::string, std::string>({
        {"", "subcommand is required"},
        {"walk", "subcommand is required"},
        {"run", "command is required"},
        {"run --drain-ms 0 -- true", "--drain-ms"},
        {"run --ring-kib 1 -- true", "--ring-kib"},
        {"run -o /dev/null/x -- true", "name another folder with -o"},
        {"run -- /no/such/program", "cannot run '/no/such/program'"},
    }));
    const TempFolder folder;
    const ProgramRun run = runProgram("cd " + folder.path().string() + " && " + kAgent + " " + arguments);
    INFO(arguments << ": " << run.output);
    CHECK(run.exitCode == 2);
    CHECK(isOneLine(run.output));
    CHECK(contains(run.output, expected));
}

TEST_CASE("another tool's injection library is refused unless it may be replaced", "[agent]") {
    const TempFolder folder;
    const std::string other = "NVTX_INJECTION64_PATH=/opt/other.so";
    const ProgramRun refused = runAgent(folder, kProgram + " texts", "", other);
    CHECK(refused.exitCode == 2);
    CHECK(isOneLine(refused.output));
    CHECK(contains(refused.output, "/opt/other.so"));
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
    CHECK(runAgent(folder, kProgram + " texts", "--replace", other).exitCode == 0);
    CHECK(profilesIn(folder / "out").size() == 1);
}

TEST_CASE("the command's exit code comes back", "[agent]") {
    const TempFolder folder;
    CHECK(runAgent(folder, "true").exitCode == 0);
    CHECK(runAgent(folder, "sh -c 'exit 7'").exitCode == 7);
    CHECK(runAgent(folder, "sh -c 'kill -TERM $$'").exitCode == 128 + 15);
}

TEST_CASE("a command without NVTX is told to have recorded nothing", "[agent]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " nothing");
    CHECK(run.exitCode == 0);
    CHECK(contains(run.output, "nothing was recorded"));
    CHECK(profilesIn(folder / "out").empty());
}

TEST_CASE("a dry run prints the environment and writes nothing", "[agent]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " texts", "--dry-run --drain-ms 70");
    CHECK(run.exitCode == 0);
    CHECK(contains(run.output, "NVTX_INJECTION64_PATH=" + std::filesystem::canonical(kLibrary).string()));
    CHECK(contains(run.output, "ORRERY_DRAIN_MS=70"));
    CHECK(contains(run.output, kProgram + " texts"));
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_CASE("the summary counts this run's profiles and says how to go on", "[agent]") {
    const TempFolder folder;
    const ProgramRun first = runAgent(folder, kProgram + " texts");
    CHECK(contains(first.output, "1 process, 9 ranges and marks, nothing lost"));
    CHECK(contains(first.output, "orrery import " + (folder / "out").string() + " -o job.db"));
    CHECK_FALSE(contains(first.output, "of other runs"));
    const ProgramRun second = runAgent(folder, "sh -c '" + kProgram + " texts & " + kProgram + " domains; wait'");
    CHECK(contains(second.output, "2 processes, 12 ranges and marks, losses: "));
    CHECK(contains(second.output, "pop_without_push 1"));
    CHECK(contains(second.output, "1 profile of other runs"));
}

TEST_CASE("a signal for the agent reaches the command", "[agent]") {
    const TempFolder folder;
    const ProgramRun run = runProgram(
        kAgent + " run -o " + (folder / "out").string() + " -- sh -c 'trap \"exit 9\" TERM; echo ready > " +
        (folder / "ready").string() + "; while :; do sleep 0.05; done' & agent=$!; while [ ! -e " +
        (folder / "ready").string() + " ]; do sleep 0.05; done; kill -TERM $agent; wait $agent; echo code $?");
    INFO(run.output);
    CHECK(contains(run.output, "code 9"));
}

TEST_CASE("ranks started by mpirun are recorded one profile each", "[agent]") {
    if (runProgram("command -v mpirun").exitCode != 0) {
        std::printf("skipped: no mpirun here\n");
        return;
    }
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, "mpirun --oversubscribe --bind-to none -n 2 " + kProgram + " texts", "",
                                    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 2);
    std::set<std::int64_t> ranks;
    for (const auto& file : files) {
        const auto process = readProcess(file);
        ranks.insert(*process.ranks.front().rank);
        CHECK(process.ranks.front().worldSize == 2);
        CHECK(process.ranges.size() == 9);
    }
    CHECK(ranks == std::set<std::int64_t>{0, 1});
}

}  // namespace orrery::test
