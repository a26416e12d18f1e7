// The real program under the real mpirun: every way to split the job trains the same model, and wrong calls say why.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using nlohmann::json;

struct Outcome {
    int code = -1;
    std::string out;
};

/// Output and errors together, and the exit code.
Outcome shell(const std::string& command) {
    Outcome outcome;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) outcome.out.append(buffer, n);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

const std::string kProgram = ORRERY_BIN_DIR "/orrery-workload";
// A model small enough for a fraction of a second, with documents of unequal length and shared key heads.
const std::string kTiny =
    " --layers 4 --hidden 32 --heads 4 --kv-heads 2 --ffn 48 --vocab 61 --tokens-per-micro-batch 96"
    " --length-distribution lognormal:24,0.9,90 --whole-documents --seed 3 ";

Outcome run(int processes, const std::string& arguments) {
    // As root (containers) mpirun wants to be told twice; the two variables say so without an option that fails
    // elsewhere.
    return shell(
        fmt::format("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                    "mpirun --oversubscribe --bind-to none -n {} {} {}",
                    processes, kProgram, arguments));
}

std::vector<double> losses(int processes, const std::string& arguments) {
    const Outcome outcome = run(processes, kTiny + "--warmup 0 --json " + arguments);
    INFO(outcome.out);
    REQUIRE(outcome.code == 0);
    std::vector<double> values;
    const json results = json::parse(outcome.out);
    for (const auto& step : results.at("steps")) values.push_back(step.at("loss"));
    return values;
}

void checkSame(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-4));
}

std::string temporary(const std::string& name) {
    return (std::filesystem::temp_directory_path() / fmt::format("orrery_{}_{}", getpid(), name)).string();
}

std::string contents(const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("every split of the job has the losses of one process", "[workload][mpi]") {
    const auto one = losses(1, "--steps 4 --micro-batches 4");
    CHECK(one.front() > one.back());
    checkSame(losses(2, "--steps 4 --micro-batches 4 --pp 2 --schedule 1f1b"), one);
    checkSame(losses(2, "--steps 4 --micro-batches 4 --pp 2 --schedule gpipe"), one);
    checkSame(losses(2, "--steps 4 --micro-batches 4 --pp 2 --layers-per-stage 1,3"), one);
    checkSame(losses(2, "--steps 4 --micro-batches 2 --dp 2"), one);         // the same four micro-batches
    checkSame(losses(4, "--steps 4 --micro-batches 2 --pp 2 --dp 2"), one);  // and both at once
    checkSame(losses(4, "--steps 4 --micro-batches 4 --pp 4"), one);
}

TEST_CASE("the loss falls: the job learns", "[workload][mpi]") {
    const auto values = losses(2, "--steps 40 --micro-batches 4 --pp 2 --learning-rate 0.01");
    CHECK(values.front() == Approx(std::log(61.0)).epsilon(0.25));  // nothing learned yet
    CHECK(values.back() < 0.8 * values.front());
}

TEST_CASE("documents and scenario say what ran", "[workload][mpi]") {
    const std::string describe = temporary("describe.json");
    const std::string scenario = temporary("scenario.toml");
    const Outcome outcome = run(2, kTiny + fmt::format("--pp 2 --steps 2 --warmup 1 --micro-batches 3 --describe {} "
                                                       "--emit-scenario {} --bind",
                                                       describe, scenario));
    INFO(outcome.out);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.out, Catch::Matchers::Contains("(warm-up)") && Catch::Matchers::Contains("median of 2"));
    const json documents = json::parse(contents(describe));
    REQUIRE(documents.at("steps").size() == 3);
    CHECK(documents.at("steps")[0].at("warmup") == true);
    const json& first = documents.at("steps")[1];
    CHECK(first.at("warmup") == false);
    REQUIRE(first.at("replicas").size() == 1);
    REQUIRE(first.at("replicas")[0].size() == 3);
    // The scenario holds the first measured step: the same lists, written with spaces.
    std::string list = first.at("replicas")[0][2].dump();
    for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2) list.replace(at, 1, ", ");
    CHECK_THAT(contents(scenario), Catch::Matchers::Contains(list + ",\n"));
    CHECK_THAT(contents(scenario), Catch::Matchers::Contains("gpus = 2\n"));
    std::filesystem::remove(describe);
    std::filesystem::remove(scenario);
}

TEST_CASE("wrong calls end with code 2 and one line", "[workload][mpi]") {
    const auto [arguments, message] = GENERATE(table<std::string, std::string>({
        {"--pp 2", "--pp 2 x --dp 1 needs 2 processes, mpirun started 1; use mpirun -n 2"},
        {"--pp 0", "--pp 0: must be a positive number"},
        {"--layers 0", "--layers 0"},
        {"--heads 3", "--hidden 256 is not a multiple of --heads 3"},
        {"--kv-heads 3", "--heads 8 is not a multiple of --kv-heads 3"},
        {"--hidden 24 --heads 8", "odd head size"},
        {"--layers-per-stage 3,5", "--layers-per-stage has 2 entries"},
        {"--micro-batches -1", "--micro-batches -1"},
        {"--steps 0", "--steps 0"},
        {"--warmup -1", "--warmup -1"},
        {"--schedule zigzag", "zigzag"},
        {"--hiden 12", "--hiden"},
        {"--layers many", "many"},
        {"--lengths /does/not/exist", "/does/not/exist: cannot be read"},
        {"--length-distribution normal:3", "write lognormal:MEAN,SIGMA,MAX"},
        {"--describe /does/not/exist/a.json", "cannot be written"},
        {"--emit-scenario /does/not/exist/a.toml", "cannot be written"},
    }));
    INFO(arguments);
    const Outcome outcome = shell(kProgram + " " + arguments);  // without mpirun: a job of one process
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.out, Catch::Matchers::StartsWith("orrery-workload: ") && Catch::Matchers::Contains(message));
    CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 1);
}

TEST_CASE("a failure of one process ends all", "[workload][mpi]") {
    // Only rank 0 writes the file; the other one must not wait for it.
    const Outcome outcome = run(2, kTiny + "--pp 2 --describe /does/not/exist/a.json");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.out, Catch::Matchers::Contains("/does/not/exist/a.json: cannot be written"));
}
