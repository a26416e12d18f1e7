// orrery pack: the same documents under each packing policy, and what a step then costs.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/scenario_options.hpp"
#include "data/lengths/lengths_file.hpp"
#include "model/imbalance/packing_score.hpp"
#include "model/packing/global_batches.hpp"
#include "model/packing/named_lengths.hpp"
#include "model/packing/policies.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

struct Options {
    std::string lengths;
    ScenarioOptions scenario;
    std::string policy = "all";
    std::int64_t steps = 8;
    std::uint64_t seed = 1;
    double room = 1.5;
    bool json = false;
    double charactersPerToken = 0.0;
};

struct Row {
    const PackingPolicy* policy = nullptr;
    Packing packing;
    PackingScore score;
    double solver = 0.0;  ///< seconds a step
};

/// Documents until there are `tokens`, from the file or the named kind of text.
std::vector<std::int64_t> documentsOf(const Options& options, std::int64_t tokens) {
    if (const NamedLengths* named = findNamedLengths(options.lengths)) return drawLengths(*named, tokens, options.seed);
    if (!std::filesystem::exists(options.lengths)) {
        std::string names;
        for (const NamedLengths& named : namedLengths()) names += fmt::format(", {}", named.name);
        throw InputError(
            fmt::format("'{}': no such file of lengths; give a file or one of{}", options.lengths, names.substr(1)));
    }
    std::vector<std::int64_t> lengths = readLengths(options.lengths, options.charactersPerToken);
    std::size_t count = 0;
    for (; count < lengths.size() && tokens > 0; ++count) tokens -= lengths[count];
    lengths.resize(count);
    return lengths;
}

Row judge(const PackingPolicy& policy, const GlobalBatches& batches, const PackingProblem& problem,
          const Scenario& scenario, const CostModel& cost) {
    Row row;
    row.policy = &policy;
    const auto start = std::chrono::steady_clock::now();
    row.packing = policy.pack(batches, problem);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    row.solver = took.count() / static_cast<double>(batches.size());
    row.score = scoreOf(row.packing, problem.contextLength, scenario.model, scenario.plan, cost);
    return row;
}

nlohmann::ordered_json toJson(const Row& row) {
    const PackingScore& score = row.score;
    nlohmann::ordered_json costs;
    for (const auto& [source, seconds] : score.cost) costs[source] = seconds.value();
    return {{"policy", row.policy->name},
            {"source", row.policy->source},
            {"steps", score.steps},
            {"step_s", score.step.value()},
            {"tokens_per_s", score.tokensPerSecond},
            {"bubble_fraction", score.bubbleFraction},
            {"dp_imbalance", score.dp},
            {"pp_imbalance", score.microBatches},
            {"stage_imbalance", score.stages},
            {"cp_imbalance", score.cpPerSequence},
            {"cp_imbalance_per_document", score.cpPerDocument},
            {"imbalance_cost_s", costs},
            {"tokens", score.tokens},
            {"padding_tokens", score.padding},
            {"truncated_tokens", row.packing.truncated},
            {"held_back_tokens", row.packing.heldBack},
            {"delayed_tokens", row.packing.delayed},
            {"delayed_token_steps", row.packing.delayedTokenSteps},
            {"cut_documents", row.packing.cutDocuments},
            {"peak_memory_gib", score.peakMemory / 1_GiB},
            {"solver_s", row.solver}};
}

void print(const std::vector<Row>& rows) {
    fmt::print("{:<14}{:>6}{:>10}{:>12}{:>9}{:>7}{:>7}{:>7}{:>9}{:>9}{:>8}{:>9}{:>10}{:>10}\n", "policy", "steps",
               "step s", "tokens/s", "bubble", "dp", "pp", "cp", "padding", "dropped", "late", "held", "mem GiB",
               "solver ms");
    for (const Row& row : rows) {
        const PackingScore& score = row.score;
        if (score.steps == 0) {
            fmt::print("{:<14}{:>6}  no step is full; give more documents\n", row.policy->name, 0);
            continue;
        }
        const auto share = [&](std::int64_t part, std::int64_t whole) {
            return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
        };
        fmt::print(
            "{:<14}{:>6}{:>10.4f}{:>12.0f}{:>9}{:>7.3f}{:>7.3f}{:>7.3f}{:>9}{:>9}{:>8.2f}{:>9}{:>10.1f}{:>10.3f}\n",
            row.policy->name, score.steps, score.step.value(), score.tokensPerSecond,
            fmt::format("{:.1f} %", 100 * score.bubbleFraction), score.dp, score.microBatches, score.cpPerSequence,
            share(score.padding, score.tokens + score.padding),
            share(row.packing.truncated, score.tokens + row.packing.truncated),
            row.packing.delayedTokenSteps / static_cast<double>(std::max<std::int64_t>(1, score.tokens)),
            share(row.packing.heldBack, score.tokens + row.packing.truncated + row.packing.heldBack),
            score.peakMemory / 1_GiB, row.solver * 1e3);
    }
    fmt::print("\nwhat each unevenness costs a step (s)\n{:<14}{:>12}{:>14}{:>10}{:>10}{:>10}\n", "policy", "dp",
               "micro-batches", "cp", "stages", "devices");
    for (const Row& row : rows) {
        if (row.score.steps == 0) continue;
        const auto cost = [&](const char* source) { return row.score.cost.at(source).value(); };
        fmt::print("{:<14}{:>12.4f}{:>14.4f}{:>10.4f}{:>10.4f}{:>10.4f}\n", row.policy->name, cost("dp"),
                   cost("micro_batches"), cost("cp"), cost("stages"), cost("devices"));
    }
}

void run(const Options& options) {
    std::string calibrationName;
    const Scenario scenario = loadScenario(options.scenario, calibrationName);
    validate(scenario.cluster);
    const CostModel cost = costModelOf(scenario);
    PackingProblem problem = packingProblem(scenario, cost);
    problem.room = options.room;
    problem.seed = options.seed;
    constexpr std::int64_t kMostTokens = 2'000'000'000;
    if (problem.tokensPerStep() > kMostTokens / options.steps) {
        throw InputError(fmt::format("{} steps of {} tokens are more than 2e9 tokens; give fewer --steps",
                                     options.steps, problem.tokensPerStep()));
    }
    const auto documents = documentsOf(options, problem.tokensPerStep() * options.steps);
    const GlobalBatches batches = inGlobalBatches(documents, problem.tokensPerStep());
    std::vector<Row> rows;
    if (options.policy == "all") {
        for (const PackingPolicy& policy : packingPolicies())
            rows.push_back(judge(policy, batches, problem, scenario, cost));
    } else {
        rows.push_back(judge(packingPolicy(options.policy), batches, problem, scenario, cost));
    }
    if (options.json) {
        nlohmann::ordered_json out{{"documents", documents.size()},
                                   {"tokens_per_step", problem.tokensPerStep()},
                                   {"calibration", calibrationName},
                                   {"policies", nlohmann::ordered_json::array()}};
        for (const Row& row : rows) out["policies"].push_back(toJson(row));
        fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    fmt::print("{} documents, {} steps of {} packs of {} tokens\ncalibration: {}\n\n", documents.size(), batches.size(),
               problem.packs(), problem.tokensPerMicroBatch, calibrationName);
    print(rows);
}

}  // namespace

void addPack(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("pack", "the same documents under each packing policy, and what a step costs");
    command
        ->add_option("lengths", options->lengths, "file of document lengths, or web, code, papers, books, long-context")
        ->required();
    addScenarioOptions(*command, options->scenario);
    command
        ->add_option("--characters-per-token", options->charactersPerToken,
                     "turns the \"text\" of JSON lines into lengths")
        ->check(CLI::PositiveNumber);
    command->add_option("--policy", options->policy, "one policy (docs/packing.md), or all")->capture_default_str();
    command->add_option("--steps", options->steps, "steps' worth of documents")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "of drawn documents and orders")->capture_default_str();
    command->add_option("--room", options->room, "longest pack of wlb, in packs of the scenario")
        ->check(CLI::Range(1.0, 64.0))
        ->capture_default_str();
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
