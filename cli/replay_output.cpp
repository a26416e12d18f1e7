#include "cli/replay_output.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownRows = 8;  ///< of a table as text; JSON has all

Json byIndex(const std::vector<double>& values) {
    Json out = Json::object();
    for (std::size_t k = 0; k < values.size(); ++k) out[std::to_string(k)] = values[k];
    return out;
}

Json toJson(const std::vector<WorkerSlowdown>& workers) {
    Json out = Json::array();
    for (const auto& worker : workers) {
        out.push_back({{"dp_rank", worker.dp}, {"stage", worker.stage}, {"slowdown", worker.slowdown}});
    }
    return out;
}

Json toJson(const WorkloadCheck& check) {
    return {{"even_step_s", check.evenStep},
            {"lengths", check.lengths},
            {"devices", check.devices},
            {"rest", check.rest},
            {"variance_by_lengths", check.varianceByLengths},
            {"workers", toJson(check.workers)},
            {"verdict", check.verdict}};
}

Json stepsJson(const ReplayGraph& graph, const StragglerAnalysis& analysis) {
    Json out = Json::array();
    for (std::size_t k = 0; k < graph.job().steps.size(); ++k) {
        const double ideal = analysis.idealSteps[k];
        out.push_back({{"step", graph.job().steps[k]},
                       {"recorded_s", analysis.recordedSteps[k]},
                       {"nodelay_s", analysis.noDelaySteps[k]},
                       {"ideal_s", ideal},
                       {"slowdown", ideal > 0.0 ? analysis.noDelaySteps[k] / ideal : 1.0}});
    }
    return out;
}

std::string barRow(const std::string& label, double slowdown) {
    return fmt::format("  {:<28} {:7.3f}\n", label, slowdown);
}

/// The largest rows first.
std::string table(const char* title, std::vector<std::pair<std::string, double>> rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out = fmt::format("\n{}\n", title);
    for (std::size_t k = 0; k < std::min(rows.size(), kShownRows); ++k) out += barRow(rows[k].first, rows[k].second);
    if (rows.size() > kShownRows) out += fmt::format("  ... {} more\n", rows.size() - kShownRows);
    return out;
}

std::vector<std::pair<std::string, double>> numbered(const char* what, const std::vector<double>& values) {
    std::vector<std::pair<std::string, double>> out;
    for (std::size_t k = 0; k < values.size(); ++k) out.emplace_back(fmt::format("{} {}", what, k), values[k]);
    return out;
}

std::string whatIfText(const WhatIfResult& result, double noDelay) {
    std::string out = "\nwhat if\n";
    for (const auto& change : result.changes) out += fmt::format("  {}\n", change);
    return out + fmt::format("  {:<28} {:10.4f} s, {:+.1f} % of the step without delays\n", "step", result.step,
                             noDelay > 0.0 ? 100.0 * (result.step / noDelay - 1.0) : 0.0);
}

}  // namespace

std::string replayJson(const ReplayGraph& graph, const ReplayOutput& output) {
    const auto& analysis = output.analysis;
    const auto& job = graph.job();
    Json byOp = Json::object();
    for (const auto& [name, slowdown] : analysis.byOp) byOp[name] = slowdown;
    const auto& shares = analysis.explained;
    Json json{{"step_recorded_s", analysis.recorded},
              {"step_nodelay_s", analysis.noDelay},
              {"step_ideal_s", analysis.ideal},
              {"slowdown", analysis.slowdown},
              {"by_op", byOp},
              {"by_dp_rank", byIndex(analysis.byDpRank)},
              {"by_stage", byIndex(analysis.byStage)},
              {"by_worker", toJson(analysis.byWorker)},
              {"cause", analysis.causeText},
              {"cause_kind", name(analysis.cause)},
              {"explained",
               {{"slowest_workers", shares.slowestWorkers},
                {"last_stage", shares.lastStage},
                {"uneven_stages", shares.stages},
                {"uneven_micro_batches", shares.microBatches},
                {"communication", shares.communication}}},
              {"slowest_workers", toJson(analysis.slowestWorkers)},
              {"forward_backward_correlation", analysis.forwardBackwardCorrelation},
              {"workload", output.workload ? toJson(*output.workload) : Json(nullptr)},
              {"what_if", nullptr},
              {"layout", {{"dp", job.dp}, {"pp", job.pp}, {"vpp", job.chunks}}},
              {"steps", stepsJson(graph, analysis)},
              {"warnings", output.warnings}};
    if (output.whatIf) {
        json["what_if"] = {{"changes", output.whatIf->changes},
                           {"step_s", output.whatIf->step},
                           {"slowdown", analysis.ideal > 0.0 ? output.whatIf->step / analysis.ideal : 1.0},
                           {"speedup", output.whatIf->step > 0.0 ? analysis.noDelay / output.whatIf->step : 1.0}};
    }
    return json.dump(2) + "\n";
}

std::string replayText(const ReplayGraph& graph, const ReplayOutput& output) {
    const auto& analysis = output.analysis;
    const auto& job = graph.job();
    std::string out = fmt::format("{} step{}, {} phases, DP {} x PP {}{}\n\n", job.steps.size(),
                                  job.steps.size() == 1 ? "" : "s", job.ops.size(), job.dp, job.pp,
                                  job.chunks > 1 ? fmt::format(" ({} model chunks a stage)", job.chunks) : "");
    out += fmt::format("{:<30} {:10.4f} s\n", "step as recorded", analysis.recorded);
    out += fmt::format("{:<30} {:10.4f} s\n", "  without delays between ops", analysis.noDelay);
    out += fmt::format("{:<30} {:10.4f} s\n", "  if all were even (ideal)", analysis.ideal);
    out += fmt::format("{:<30} {:10.3f}\n", "slowdown", analysis.slowdown);
    out += fmt::format("\ncause: {}\n", analysis.causeText);
    if (output.workload) out += fmt::format("documents: {}\n", output.workload->verdict);
    if (output.whatIf) out += whatIfText(*output.whatIf, analysis.noDelay);
    out += table("slowdown by op (the ideal step with only these as recorded)", analysis.byOp);
    out += table("by stage", numbered("stage", analysis.byStage));
    out += table("by DP rank", numbered("DP rank", analysis.byDpRank));
    std::vector<std::pair<std::string, double>> workers;
    for (const auto& worker : analysis.byWorker) {
        workers.emplace_back(fmt::format("DP rank {}, stage {}", worker.dp, worker.stage), worker.slowdown);
    }
    out += table("by worker", std::move(workers));
    return out;
}

}  // namespace orrery::cli
