#include "model/replay/workload_check.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "model/replay/what_if.hpp"

namespace orrery {
namespace {

constexpr std::size_t kFewestPasses = 8;
constexpr int kRounds = 10;        ///< of fitting work and slowness in turn; they settle in a few
constexpr double kNotable = 1.02;  ///< a factor below is called nothing

using Ids = std::vector<std::size_t>;
using FitKey = std::tuple<std::uint16_t, int, int>;  // type, stage, chunk

/// The lower one of an even number, so that of two workers the faster is the norm.
double lowerMedian(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class Fit {
  public:
    explicit Fit(const ReplayGraph& graph)
        : graph_(graph),
          expected_(graph.recorded()),
          slowness_(static_cast<std::size_t>(graph.job().dp) * static_cast<std::size_t>(graph.job().pp), 1.0) {
        for (std::size_t id = 0; id < expected_.size(); ++id) {
            const auto& op = graph.job().ops[id];
            if (!isPass(graph.type(op).role)) continue;
            groups_[{op.type, op.stage, op.chunk}].push_back(id);
            byWorker_[worker(op)].push_back(id);
        }
    }

    [[nodiscard]] bool possible() const {
        bool varies = false;
        for (const auto& [key, ids] : groups_) {
            if (ids.size() < kFewestPasses) return false;
            const auto& first = graph_.job().ops[ids.front()];
            for (const auto id : ids) {
                const auto& op = graph_.job().ops[id];
                if (op.tokens <= 0.0) return false;
                varies = varies || op.tokens != first.tokens || op.pairs != first.pairs;
            }
        }
        return varies;
    }

    void run() {
        for (int round = 0; round < kRounds; ++round) {
            for (const auto& [key, ids] : groups_) fitWork(ids);
            if (graph_.job().dp == 1) return;
            fitSlowness();
        }
    }

    /// Expected durations on a typical device; other ops as recorded.
    [[nodiscard]] const std::vector<double>& expected() const { return expected_; }
    [[nodiscard]] double slowness(const ReplayOp& op) const { return slowness_[worker(op)]; }

    [[nodiscard]] std::vector<double> evenWork() const {
        auto out = expected_;
        for (const auto& [key, ids] : groups_) {
            double sum = 0.0;
            for (const auto id : ids) sum += expected_[id];
            for (const auto id : ids) out[id] = sum / static_cast<double>(ids.size());
        }
        return out;
    }
    [[nodiscard]] std::vector<double> onTheirDevices() const {
        auto out = expected_;
        for (const auto& [key, ids] : groups_) {
            for (const auto id : ids) out[id] *= slowness(graph_.job().ops[id]);
        }
        return out;
    }
    [[nodiscard]] double varianceExplained() const {
        double left = 0.0, all = 0.0;
        for (const auto& [key, ids] : groups_) {
            double mean = 0.0;
            for (const auto id : ids) mean += graph_.recorded()[id] / static_cast<double>(ids.size());
            for (const auto id : ids) {
                left += std::pow(graph_.recorded()[id] - expected_[id], 2);
                all += std::pow(graph_.recorded()[id] - mean, 2);
            }
        }
        return all > 0.0 ? std::max(0.0, 1.0 - left / all) : 0.0;
    }

  private:
    [[nodiscard]] std::size_t worker(const ReplayOp& op) const {
        return static_cast<std::size_t>(op.dp) * static_cast<std::size_t>(graph_.job().pp) +
               static_cast<std::size_t>(op.stage);
    }

    void fitWork(const Ids& ids) {
        const auto rows = static_cast<Eigen::Index>(ids.size());
        Eigen::MatrixXd work(rows, 3);
        Eigen::VectorXd time(rows);
        for (Eigen::Index row = 0; row < rows; ++row) {
            const auto& op = graph_.job().ops[ids[static_cast<std::size_t>(row)]];
            work.row(row) << 1.0, op.tokens, op.pairs;
            time(row) = graph_.recorded()[ids[static_cast<std::size_t>(row)]] / slowness(op);
        }
        for (Eigen::Index column = 0; column < work.cols(); ++column) {  // of comparable size, for the rank decision
            const double largest = work.col(column).cwiseAbs().maxCoeff();
            if (largest > 0.0) work.col(column) /= largest;
        }
        const Eigen::VectorXd fitted = work * work.completeOrthogonalDecomposition().solve(time);
        for (Eigen::Index row = 0; row < rows; ++row) {
            expected_[ids[static_cast<std::size_t>(row)]] = std::max(0.0, fitted(row));
        }
    }

    void fitSlowness() {
        std::vector<std::vector<double>> byStage(static_cast<std::size_t>(graph_.job().pp));
        for (const auto& [index, ids] : byWorker_) {
            std::vector<double> ratios;
            for (const auto id : ids) {
                if (expected_[id] > 0.0) ratios.push_back(graph_.recorded()[id] / expected_[id]);
            }
            slowness_[index] = ratios.empty() ? 1.0 : lowerMedian(std::move(ratios));
            byStage[index % byStage.size()].push_back(slowness_[index]);
        }
        for (const auto& [index, ids] : byWorker_) {
            const double typical = lowerMedian(byStage[index % byStage.size()]);
            slowness_[index] = typical > 0.0 && slowness_[index] > 0.0 ? slowness_[index] / typical : 1.0;
        }
    }

    const ReplayGraph& graph_;
    std::vector<double> expected_, slowness_;
    std::map<FitKey, Ids> groups_;
    std::map<std::size_t, Ids> byWorker_;
};

std::string verdict(const WorkloadCheck& check) {
    const double largest = std::max({check.lengths, check.devices, check.rest});
    if (largest < kNotable) return "neither sequence lengths nor slow devices cost the step 2 %";
    if (largest == check.lengths) {
        return fmt::format("sequence lengths explain the variation: they cost {:.1f} %, slow devices {:.1f} %",
                           100.0 * (check.lengths - 1.0), 100.0 * (check.devices - 1.0));
    }
    if (largest == check.devices) {
        const auto& slowest = check.workers.front();
        return fmt::format(
            "slow devices explain the variation: they cost {:.1f} %, sequence lengths {:.1f} %; DP rank {}, "
            "stage {} takes {:.2f} times as long as its documents call for",
            100.0 * (check.devices - 1.0), 100.0 * (check.lengths - 1.0), slowest.dp, slowest.stage, slowest.slowdown);
    }
    return fmt::format(
        "neither explains the variation: {:.1f} % come from passes that take longer now and then; sequence "
        "lengths cost {:.1f} %, slow devices {:.1f} %",
        100.0 * (check.rest - 1.0), 100.0 * (check.lengths - 1.0), 100.0 * (check.devices - 1.0));
}

}  // namespace

std::optional<WorkloadCheck> checkWorkload(const ReplayGraph& graph) {
    Fit fit(graph);
    if (!fit.possible()) return std::nullopt;
    fit.run();
    const auto step = [&](const std::vector<double>& durations) { return meanStep(graph.simulate(durations)); };
    const double even = step(fit.evenWork()), expected = step(fit.expected()), onDevices = step(fit.onTheirDevices());
    if (even <= 0.0 || expected <= 0.0 || onDevices <= 0.0) return std::nullopt;
    WorkloadCheck out;
    out.evenStep = even;
    out.lengths = expected / even;
    out.devices = onDevices / expected;
    out.rest = step(graph.recorded()) / onDevices;
    out.varianceByLengths = fit.varianceExplained();
    for (int dp = 0; dp < graph.job().dp; ++dp) {
        for (int stage = 0; stage < graph.job().pp; ++stage) {
            ReplayOp at;
            at.dp = dp;
            at.stage = stage;
            out.workers.push_back({dp, stage, fit.slowness(at)});
        }
    }
    std::stable_sort(out.workers.begin(), out.workers.end(),
                     [](const auto& a, const auto& b) { return a.slowdown > b.slowdown; });
    out.verdict = verdict(out);
    return out;
}

}  // namespace orrery
