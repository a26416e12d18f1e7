#include "cli/search_output.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/prediction_json.hpp"
#include "model/search/explain.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSlowestShown = 2.0;  ///< of the Pareto front, times the best step

std::string grouped(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

void printCounts(const SearchResult& result, double seconds) {
    fmt::print("{} points of the space, {} legal plans costed in {:.2f} s ({} a second), {} fit, {} schedules run{}\n",
               grouped(result.points), grouped(result.evaluated), seconds,
               grouped(static_cast<std::int64_t>(static_cast<double>(result.evaluated) / std::max(seconds, 1e-9))),
               grouped(result.feasible), grouped(result.simulated),
               result.interrupted ? "; INTERRUPTED: the best of what was seen" : "");
    for (std::size_t i = 0; i < kRejections; ++i) {
        if (result.rejected[i] == 0) continue;
        fmt::print("  {:>14}  {}\n", grouped(result.rejected[i]), describe(static_cast<Rejection>(i)));
    }
}

void printHead() {
    fmt::print("\n{:>4}{:>11}{:>7}{:>9}{:>8}{:>9}  {}\n", "", "step s", "MFU %", "bubble %", "comm %", "GiB", "plan");
}

void printRow(const std::string& label, const RankedPlan& ranked) {
    const StepMetrics& metrics = ranked.prediction.metrics;
    fmt::print("{:>4}{:>11.4f}{:>7.1f}{:>9.1f}{:>8.1f}{:>9.1f}  {}\n", label, metrics.step.value(), 100 * metrics.mfu,
               100 * metrics.bubbleFraction, 100 * metrics.exposedCommFraction, metrics.peakMemory / 1_GiB,
               describe(ranked.plan, ranked.microBatch));
}

void printReason(const SearchResult& result) {
    if (result.best.size() < 2) return;
    const Prediction& best = result.best[0].prediction;
    const Prediction& second = result.best[1].prediction;
    std::string text;
    for (const Difference& difference : differences(best, second)) {
        text += fmt::format("{}{:.1f} % {} {}", text.empty() ? "" : ", ", 100 * std::abs(difference.share),
                            difference.share < 0.0 ? "less" : "more", difference.part);
    }
    const double gap = 100 * (second.metrics.step / best.metrics.step - 1.0);
    fmt::print(
        "\nwhy the first beats the second, by {:.2f} %: {}\n", gap,
        text.empty() ? "no part differs by 0.05 % of the step; the second needs more memory or comes later" : text);
}

Json plansJson(const std::vector<RankedPlan>& plans) {
    Json list = Json::array();
    for (const RankedPlan& plan : plans) list.push_back(planJson(plan));
    return list;
}

}  // namespace

std::string describe(const ParallelPlan& plan, int microBatch) {
    std::string text = fmt::format("tp {} pp {}", plan.tp, plan.pp);
    if (plan.vpp > 1) text += fmt::format(" vpp {}", plan.vpp);
    text += fmt::format(" dp {}", plan.dp);
    if (plan.cp > 1) text += fmt::format(" cp {}", plan.cp);
    if (plan.ep > 1) text += fmt::format(" ep {}", plan.ep);
    if (plan.etp > 1) text += fmt::format(" etp {}", plan.etp);
    text += fmt::format(" mb {}", microBatch);
    if (plan.pp > 1) text += fmt::format(", {}", name(plan.schedule));
    text += fmt::format(", recompute {}, {}", name(plan.recompute), name(plan.sharding));
    if (plan.tp > 1) text += plan.sequenceParallel ? ", sp" : ", no sp";
    if (plan.embeddingAsLayer) text += ", edges as layers";
    return text;
}

nlohmann::ordered_json planJson(const RankedPlan& ranked) {
    const ParallelPlan& plan = ranked.plan;
    const StepMetrics& metrics = ranked.prediction.metrics;
    Json breakdown = Json::object();
    for (const auto& [part, seconds] : ranked.prediction.breakdown) breakdown[part] = seconds.value();
    return {{"tp", plan.tp},
            {"pp", plan.pp},
            {"vpp", plan.vpp},
            {"dp", plan.dp},
            {"cp", plan.cp},
            {"ep", plan.ep},
            {"etp", plan.etp},
            {"micro_batch", ranked.microBatch},
            {"schedule", name(plan.schedule)},
            {"recompute", name(plan.recompute)},
            {"sharding", name(plan.sharding)},
            {"sequence_parallel", plan.sequenceParallel},
            {"embedding_as_layer", plan.embeddingAsLayer},
            {"loss_as_layer", plan.lossAsLayer},
            {"step_s", metrics.step.value()},
            {"step_relative_sigma", metrics.relativeSigma},
            {"tokens_per_s_per_gpu", metrics.tokensPerSecondPerGpu},
            {"model_tflops_per_gpu", metrics.modelTflopsPerGpu},
            {"mfu", metrics.mfu},
            {"hfu", metrics.hfu},
            {"bubble_fraction", metrics.bubbleFraction},
            {"exposed_comm_fraction", metrics.exposedCommFraction},
            {"imbalance", metrics.imbalance},
            {"peak_memory_gib", metrics.peakMemory / 1_GiB},
            {"breakdown_s", breakdown}};
}

void printSearch(const ScenarioSearch& search, const SearchResult& result, double seconds, bool pareto) {
    const ClusterSpec& cluster = search.problem.cost.cluster();
    fmt::print("{}: {} on {} x {}, {:.0f} GiB each\n", search.name, search.problem.model.name, cluster.gpus,
               cluster.gpu.name, cluster.gpu.memory / 1_GiB);
    printCounts(result, seconds);
    if (result.best.empty()) {
        fmt::print("\nno plan fits: take more GPUs, a smaller micro-batch, full recomputation or more sharding\n");
    } else {
        printHead();
        for (std::size_t i = 0; i < result.best.size(); ++i) printRow(std::to_string(i + 1), result.best[i]);
    }
    printReason(result);
    if (result.reference) {
        const bool fits = result.reference->prediction.metrics.peakMemory <= cluster.gpu.memory;
        fmt::print("\nthe scenario's own plan: {} of {} that fit are faster{}\n", grouped(result.betterThanReference),
                   grouped(result.feasible), fits ? "" : "; it does not fit itself");
        printRow("", *result.reference);
    }
    if (pareto && !result.front.empty()) {
        fmt::print("\nno other plan beats these in both time and memory\n");
        // Slow plans of little memory go on and on; who wants them reads --json.
        const double longest = kSlowestShown * result.front.front().prediction.metrics.step.value();
        std::size_t shown = 0;
        for (; shown < result.front.size(); ++shown) {
            if (result.front[shown].prediction.metrics.step.value() > longest) break;
            printRow("", result.front[shown]);
        }
        if (shown < result.front.size())
            fmt::print("      and {} that take more than {:.0f} times as long\n", result.front.size() - shown,
                       kSlowestShown);
    }
    fmt::print("\ncalibration: {}\nframework: {}\n", search.calibration, search.framework);
}

Json searchJson(const ScenarioSearch& search, const SearchResult& result, double seconds) {
    Json rejected = Json::object();
    for (std::size_t i = 0; i < kRejections; ++i)
        rejected[std::string(name(static_cast<Rejection>(i)))] = result.rejected[i];
    Json out = {{"scenario", search.name},
                {"gpus", search.problem.cost.cluster().gpus},
                {"points", result.points},
                {"evaluated", result.evaluated},
                {"feasible", result.feasible},
                {"simulated", result.simulated},
                {"rejected", rejected},
                {"seconds", seconds},
                {"evaluated_per_second", static_cast<double>(result.evaluated) / std::max(seconds, 1e-9)},
                {"interrupted", result.interrupted},
                {"best", plansJson(result.best)},
                {"pareto", plansJson(result.front)},
                {"calibration", search.calibration},
                {"framework", search.framework}};
    if (result.reference) {
        out["own_plan"] = planJson(*result.reference);
        out["faster_than_own_plan"] = result.betterThanReference;
    }
    return out;
}

}  // namespace orrery::cli
