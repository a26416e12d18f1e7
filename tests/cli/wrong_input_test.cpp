// Wrong input through the real program: one line that says what, where and the mend; exit code 2; nothing half-written.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sqlite3.h>

#include "data/store/profile_writer.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kModel = "[model]\npreset = \"llama3-8b\"\n";
const std::string kCluster = "[cluster]\npreset = \"dgx-h100\"\nnodes = 1\n";
const std::string kPlan = "[plan]\ntp = 2\npp = 2\ndp = 2\n";
const std::string kWorkload = "[workload]\nsequence_length = 4096\nglobal_batch = 16\nmicro_batch = 1\n";

/// Runs orrery in a folder and insists on the manners of an input error.
std::string refused(const test::TempFolder& folder, const std::string& arguments) {
    const auto before = folder.entries();
    const auto run =
        test::runProgram(fmt::format("cd '{}' && {}/orrery {}", folder.path().string(), ORRERY_BIN_DIR, arguments));
    INFO(run.output);
    CHECK(run.exitCode == 2);
    CHECK_THAT(run.output, StartsWith("orrery: "));
    CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 1);
    CHECK(folder.entries() == before);
    return run.output;
}

std::string refusedScenario(const std::string& text) {
    const test::TempFolder folder;
    folder.write("scenario.toml", text);
    return refused(folder, "predict scenario.toml");
}

}  // namespace

TEST_CASE("a good scenario is predicted, so that the refusals below are for their reasons", "[cli]") {
    const test::TempFolder folder;
    folder.write("scenario.toml", kModel + kCluster + kPlan + kWorkload);
    const auto run = test::runProgram(
        fmt::format("{}/orrery predict {} --json", ORRERY_BIN_DIR, (folder / "scenario.toml").string()));
    INFO(run.output);
    CHECK(run.exitCode == 0);
    for (const char* field :
         {"step_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu", "bubble_fraction", "exposed_comm_fraction",
          "imbalance", "peak_memory_gib", "stages", "breakdown_s", "calibration", "warnings"}) {
        CHECK_THAT(run.output, Contains(fmt::format("\"{}\"", field)));
    }
}

TEST_CASE("an unknown scenario key is refused with its place and the nearest known key", "[cli][wrong]") {
    const std::string said = refusedScenario(kModel + kCluster + "[plan]\nrecomputation = \"full\"\n" + kWorkload);
    CHECK_THAT(said, Contains("scenario.toml:7:1: unknown key 'recomputation' in [plan]; did you mean 'recompute'?"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plam]\n" + kWorkload), Contains("'plam'") && Contains("'plan'"));
    CHECK_THAT(refusedScenario(kModel + "layer = 3\n" + kCluster + kWorkload),
               Contains("'layer'") && Contains("'layers'"));
}

TEST_CASE("sizes that cannot be are refused", "[cli][wrong]") {
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\ntp = -2\n" + kWorkload),
               Contains("scenario.toml:7:6") && Contains("-2"));
    CHECK_THAT(refusedScenario(kModel + "hidden = 0\n" + kCluster + kWorkload), Contains("hidden"));
    CHECK_THAT(refusedScenario(kModel + "hidden = 99999999999999999\n" + kCluster + kWorkload), Contains("hidden"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\ntp = 99999999999999999999\n" + kWorkload),
               Contains("scenario.toml:7"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\ntp = \"two\"\n" + kWorkload), Contains("whole number"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\nschedule = \"1f2b\"\n" + kWorkload), Contains("1f1b"));
    CHECK_THAT(
        refusedScenario(kModel + kCluster + kPlan + "[workload]\nsequence_length = 128\ndocuments = [[[0]],[[1]]]\n"),
        Contains("documents"));
}

TEST_CASE("a plan that does not fit model, cluster or batch is refused with the mend", "[cli][wrong]") {
    // Llama-3 8B has 32 heads and 8 key-value heads.
    CHECK_THAT(refusedScenario(kModel + "[cluster]\npreset = \"dgx-h100\"\ngpus = 3\n[plan]\ntp = 3\n" + kWorkload),
               Contains("tp 3") && Contains("32 heads"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\ntp = 8\npp = 2\ndp = 2\n" + kWorkload),
               Contains("32") && Contains("8"));
    CHECK_THAT(refusedScenario(kModel + kCluster + kPlan + "[workload]\nsequence_length = 4096\nglobal_batch = 15\n"),
               Contains("15") && Contains("multiple"));
    CHECK_THAT(refusedScenario(kModel + kCluster + "[plan]\npp = 8\nlayers_per_stage = [4, 4]\n" + kWorkload),
               Contains("layers"));
}

TEST_CASE("what is missing is named", "[cli][wrong]") {
    CHECK_THAT(refusedScenario(kCluster + kPlan + kWorkload), Contains("[model]"));
    CHECK_THAT(refusedScenario(kModel + kCluster + kPlan), Contains("[workload]"));
    CHECK_THAT(refusedScenario(kModel + kCluster + kPlan + "[workload]\nsequence_length = 4096\n"),
               Contains("global_batch"));
    CHECK_THAT(refusedScenario("[model]\npreset = \"lama3-8b\"\n" + kCluster + kPlan + kWorkload),
               Contains("did you mean 'llama3-8b'"));
    CHECK_THAT(refusedScenario(kModel + "[cluster]\ngpu = \"H1OO-SXM\"\ngpus = 8\n" + kWorkload), Contains("H100-SXM"));
    const test::TempFolder folder;
    CHECK_THAT(refused(folder, "predict nowhere.toml"), Contains("nowhere.toml"));
}

TEST_CASE("files that are no scenarios are refused", "[cli][wrong]") {
    CHECK_THAT(refusedScenario(""), Contains("empty"));
    CHECK_THAT(refusedScenario(std::string("\x7f\x45\x4c\x46\0\0\1\2", 8)), Contains("binary"));
    CHECK_THAT(refusedScenario("[model\nlayers = 3"), Contains("scenario.toml:1:"));
}

TEST_CASE("files that are no traces are refused", "[cli][wrong]") {
    const test::TempFolder folder;
    folder.write("empty.json", "");
    folder.write("binary.json", std::string("\0\1\2\3\xff\xfe\0\0 not json", 17));
    folder.write("prose.txt", "once upon a time");
    for (const std::string command : {"info ", "import -o out.db "}) {
        CHECK_THAT(refused(folder, command + "empty.json"), Contains("empty"));
        CHECK_THAT(refused(folder, command + "binary.json"), Contains("binary"));
        CHECK_THAT(refused(folder, command + "prose.txt"), Contains("known are"));
        CHECK_THAT(refused(folder, command + "absent.json"), Contains("no such file"));
    }
    folder.write("trace.json", R"({"traceEvents": []})");
    CHECK_THAT(refused(folder, "import trace.json -o nowhere/out.db"), Contains("nowhere/out.db"));
}

TEST_CASE("a profile from a newer schema is refused with the mend", "[cli][wrong]") {
    const test::TempFolder folder;
    {
        ProfileWriter writer(folder / "new.db");
        writer.finish();
    }
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open((folder / "new.db").c_str(), &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    CHECK_THAT(refused(folder, "info new.db"), Contains("99") && Contains("newer orrery"));
    CHECK_THAT(refused(folder, "calibrate new.db -o cal.json"), Contains("99") && Contains("newer orrery"));
}

TEST_CASE("a wrong call ends with exit code 2", "[cli][wrong]") {
    for (const char* call : {"", "fly", "predict", "info --frob x", "import x"}) {
        const auto run = test::runProgram(fmt::format("{}/orrery {}", ORRERY_BIN_DIR, call));
        INFO(call << ": " << run.output);
        CHECK(run.exitCode == 2);
        CHECK_FALSE(run.output.empty());
    }
    CHECK(test::runProgram(ORRERY_BIN_DIR "/orrery --help").exitCode == 0);
    CHECK(test::runProgram(ORRERY_BIN_DIR "/orrery --version").exitCode == 0);
}

TEST_CASE("a timeline that cannot be written leaves nothing behind", "[cli][wrong]") {
    const test::TempFolder folder;
    folder.write("scenario.toml", kModel + kCluster + kPlan + kWorkload);
    CHECK_THAT(refused(folder, "predict scenario.toml --timeline out.xyz"), Contains(".pftrace"));
    CHECK_THAT(refused(folder, "predict scenario.toml --timeline nowhere/out.json"), Contains("nowhere/out.json"));
}
