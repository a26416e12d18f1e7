// orrery plan: the flags of a training framework that run a scenario's plan. orrery scenario: a job of theirs as a
// scenario.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "data/jobs/describe_scenario.hpp"
#include "data/jobs/megatron_arguments.hpp"
#include "data/jobs/read_job.hpp"
#include "data/jobs/scenario_text.hpp"
#include "data/jobs/torchtitan_config.hpp"
#include "data/scenario/scenario_file.hpp"
#include "model/units/input_error.hpp"
#include "report/text/write_file.hpp"

namespace orrery::cli {
namespace {

struct PlanOptions {
    std::filesystem::path scenario;
    std::string emit;
};

void emitPlan(const PlanOptions& options) {
    const JobDescription job = describe(readScenario(options.scenario), options.scenario.string());
    if (options.emit == "torchtitan") {
        fmt::print("{}", torchtitanConfig(job));
        return;
    }
    for (const std::string& line : megatronArguments(job))
        fmt::print("{}{}\n", line, line.starts_with('#') ? "" : " \\");
}

struct ScenarioFromOptions {
    std::filesystem::path from, output;
    std::string gpu;
    int gpus = 0;
    std::optional<std::int64_t> sequence, batch;
};

void makeScenario(const ScenarioFromOptions& options) {
    JobDescription job = readJob(options.from);
    const std::string gpu = Catalog().gpu(options.gpu).name;
    if (options.sequence) job.sequenceLength = options.sequence;
    if (options.batch) job.globalBatch = options.batch;
    if (job.model.name.empty() || job.model.name.find('/') == 0) job.model.name = options.from.stem().string();
    ClusterChoice cluster{gpu, options.gpus};
    if (job.plan) {
        const int ranks = job.plan->tp * job.plan->pp * job.plan->cp;
        if (cluster.gpus == 0)
            throw InputError(
                fmt::format("{}: give --gpus, a multiple of tp x pp x cp = {}", options.from.string(), ranks));
        if (cluster.gpus % ranks != 0) {
            throw InputError(fmt::format("{}: --gpus {} is no multiple of tp x pp x cp = {}", options.from.string(),
                                         cluster.gpus, ranks));
        }
    } else if (cluster.gpus == 0) {
        cluster.gpus = 8;
    }
    const std::string text = scenarioText(job, cluster);
    if (options.output.empty()) {
        fmt::print("{}", text);
    } else {
        writeFile(options.output, text);
    }
}

}  // namespace

void addPlan(CLI::App& app) {
    const auto options = std::make_shared<PlanOptions>();
    CLI::App* command = app.add_subcommand("plan", "the flags of a training framework that run a scenario's plan");
    command->add_option("scenario", options->scenario, "scenario file (TOML)")->required();
    command->add_option("--emit", options->emit, "megatron or torchtitan")
        ->required()
        ->check(CLI::IsMember({"megatron", "torchtitan"}));
    command->callback([options] { emitPlan(*options); });
}

void addScenario(CLI::App& app) {
    const auto options = std::make_shared<ScenarioFromOptions>();
    CLI::App* command = app.add_subcommand(
        "scenario", "a scenario from a Hugging Face config.json or a script with Megatron-LM's arguments");
    command->add_option("from", options->from, "config.json, or a text with the arguments")->required();
    command->add_option("--gpu", options->gpu, "catalog name of the GPU, each in its usual machine")->required();
    command->add_option("--gpus", options->gpus, "how many")->check(CLI::Range(1, 10'000'000));
    command->add_option("--sequence-length", options->sequence, "tokens")->check(CLI::Range(1, 1 << 30));
    command->add_option("--global-batch", options->batch, "sequences of a step")->check(CLI::Range(1, 10'000'000));
    command->add_option("-o,--output", options->output, "scenario file (standard output)");
    command->callback([options] { makeScenario(*options); });
}

}  // namespace orrery::cli
