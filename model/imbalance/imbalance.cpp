#include "model/imbalance/imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "model/predict/replica_runs.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// What is evened out in one simulation.
struct Evened {
    bool dp = false, microBatches = false, stages = false, devices = false;
};

/// Durations of one replica's tasks, a row for each micro-batch: [(microBatch * virtualStages + v) * 3 + kind].
struct ReplicaTasks {
    std::vector<double> duration, transfer;
};

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// max / mean; 1 for nothing.
double maxOverMean(const std::vector<double>& values) {
    const double total = sum(values);
    if (values.empty() || total <= 0.0) return 1.0;
    return *std::max_element(values.begin(), values.end()) * static_cast<double>(values.size()) / total;
}

class Resimulation {
  public:
    Resimulation(const ParallelPlan& plan, const IndexedWorkload& workload, const TaskCosts& costs,
                 const ClusterSpec& cluster, const Schedule& layout)
        : plan_(plan), workload_(workload), costs_(costs), cluster_(cluster), layout_(layout) {}

    [[nodiscard]] double pipelines(const Evened& evened) const {
        std::vector<ReplicaTasks> replicas = tasks(!evened.devices);
        if (evened.microBatches) {
            for (ReplicaTasks& replica : replicas) evenMicroBatches(replica.duration);
        }
        if (evened.stages) evenStages(replicas);
        if (evened.dp) evenReplicas(replicas);
        double slowest = 0.0;
        for (std::size_t r = 0; r < replicas.size(); ++r) slowest = std::max(slowest, run(r, replicas[r]));
        return slowest;
    }

    /// Work of each replica, of each micro-batch of a replica, of each stage.
    [[nodiscard]] std::vector<double> byReplica(bool speeds) const {
        std::vector<double> work;
        for (const ReplicaTasks& replica : tasks(speeds)) work.push_back(sum(replica.duration));
        return work;
    }
    [[nodiscard]] double microBatchImbalance() const {
        double total = 0.0;
        const auto replicas = tasks(false);
        for (const ReplicaTasks& replica : replicas) {
            std::vector<double> work;
            for (std::size_t at = 0; at < replica.duration.size(); at += width())
                work.push_back(std::accumulate(replica.duration.begin() + static_cast<std::ptrdiff_t>(at),
                                               replica.duration.begin() + static_cast<std::ptrdiff_t>(at + width()),
                                               0.0));
            total += maxOverMean(work);
        }
        return total / static_cast<double>(replicas.size());
    }
    [[nodiscard]] std::vector<double> byStage() const {
        std::vector<double> work(static_cast<std::size_t>(plan_.pp), 0.0);
        for (const ReplicaTasks& replica : tasks(false)) {
            for (std::size_t i = 0; i < replica.duration.size(); ++i) work[stageOf(i)] += replica.duration[i];
        }
        return work;
    }

  private:
    [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(layout_.virtualStages()) * 3; }
    [[nodiscard]] std::size_t stageOf(std::size_t task) const {
        return static_cast<std::size_t>(layout_.stageOf(static_cast<int>(task % width() / 3)));
    }

    [[nodiscard]] std::vector<double> speeds(std::size_t replica) const {
        std::vector<double> speeds;
        if (cluster_.deviceSpeed.empty()) return speeds;
        for (int stage = 0; stage < plan_.pp; ++stage) {
            const int first = firstRank(plan_, static_cast<int>(replica), stage);
            double slowest = cluster_.speedOf(first);
            for (int i = 1; i < plan_.tp * plan_.cp; ++i) slowest = std::min(slowest, cluster_.speedOf(first + i));
            speeds.push_back(slowest);
        }
        return speeds;
    }

    [[nodiscard]] std::vector<ReplicaTasks> tasks(bool withSpeeds) const {
        std::vector<ReplicaTasks> all;
        for (std::size_t r = 0; r < workload_.listOf.size(); ++r) {
            const auto& shapes = workload_.shapeOf[workload_.listOf[r]];
            const TaskTimes times = costs_.times(shapes, withSpeeds ? speeds(r) : std::vector<double>{});
            ReplicaTasks& replica = all.emplace_back();
            for (const std::uint32_t shape : shapes) {
                const auto row = static_cast<std::ptrdiff_t>(times.row(shape, 0));
                const auto end = row + layout_.virtualStages();
                replica.duration.insert(replica.duration.end(), times.duration.begin() + row * 3,
                                        times.duration.begin() + end * 3);
                replica.transfer.insert(replica.transfer.end(), times.transfer.begin() + row * 2,
                                        times.transfer.begin() + end * 2);
            }
        }
        return all;
    }

    void evenMicroBatches(std::vector<double>& duration) const {
        for (std::size_t task = 0; task < width(); ++task) {
            double total = 0.0;
            for (std::size_t at = task; at < duration.size(); at += width()) total += duration[at];
            const double mean = total * static_cast<double>(width()) / static_cast<double>(duration.size());
            for (std::size_t at = task; at < duration.size(); at += width()) duration[at] = mean;
        }
    }

    /// Scales each stage's tasks so that all stages have the same work.
    void evenStages(std::vector<ReplicaTasks>& replicas) const {
        std::vector<double> work(static_cast<std::size_t>(plan_.pp), 0.0);
        for (const ReplicaTasks& replica : replicas) {
            for (std::size_t i = 0; i < replica.duration.size(); ++i) work[stageOf(i)] += replica.duration[i];
        }
        const double mean = sum(work) / static_cast<double>(work.size());
        for (ReplicaTasks& replica : replicas) {
            for (std::size_t i = 0; i < replica.duration.size(); ++i)
                replica.duration[i] *= work[stageOf(i)] > 0.0 ? mean / work[stageOf(i)] : 1.0;
        }
    }

    static void evenReplicas(std::vector<ReplicaTasks>& replicas) {
        double total = 0.0;
        for (const ReplicaTasks& replica : replicas) total += sum(replica.duration);
        const double mean = total / static_cast<double>(replicas.size());
        for (ReplicaTasks& replica : replicas) {
            const double factor = mean / sum(replica.duration);
            for (double& duration : replica.duration) duration *= factor;
        }
    }

    [[nodiscard]] double run(std::size_t replica, const ReplicaTasks& tasks) const {
        const std::size_t count = workload_.shapeOf[workload_.listOf[replica]].size();
        std::vector<std::uint32_t> shapes(count);
        std::iota(shapes.begin(), shapes.end(), 0U);
        TaskTimes times(layout_.virtualStages(), count, std::move(shapes));
        times.duration = tasks.duration;
        times.transfer = tasks.transfer;
        times.blockingSends = sendsBlock(plan_.schedule);
        const auto known = std::find_if(schedules_.begin(), schedules_.end(), [&](const Schedule& schedule) {
            return schedule.microBatches == static_cast<int>(count);
        });
        if (known != schedules_.end()) return simulate(*known, times).makespan;
        schedules_.push_back(makeSchedule(plan_, static_cast<int>(count)));
        return simulate(schedules_.back(), times).makespan;
    }

    const ParallelPlan& plan_;
    const IndexedWorkload& workload_;
    const TaskCosts& costs_;
    const ClusterSpec& cluster_;
    const Schedule& layout_;
    mutable std::vector<Schedule> schedules_;
};

/// Attention of the busiest context-parallel rank beyond the mean, for the slowest replica.
ImbalanceSource contextSource(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload,
                              const CostModel& cost) {
    ImbalanceSource source{"cp", 1.0, {}};
    if (plan.cp == 1) return source;
    std::int64_t longest = 8;
    for (const auto& replica : workload.replicas) {
        for (const MicroBatch& pack : replica) longest = std::max(longest, pack.tokens());
    }
    const double perPair = packCost(model, plan, longest, cost).perPair;
    double ratios = 0.0;
    std::int64_t packs = 0;
    double worst = 0.0;
    for (const auto& replica : workload.replicas) {
        double seconds = 0.0;
        for (const MicroBatch& pack : replica) {
            const double ratio = contextImbalance(pack, plan.cp, false);
            seconds += perPair * pack.causalPairs() * (ratio - 1.0);
            ratios += ratio;
            ++packs;
        }
        worst = std::max(worst, seconds);
    }
    source.maxOverMean = ratios / static_cast<double>(packs);
    source.cost = Seconds(worst);
    return source;
}

double slowestOverMeanSpeed(const ClusterSpec& cluster, const ParallelPlan& plan) {
    if (cluster.deviceSpeed.empty()) return 1.0;
    std::vector<double> times;
    for (int rank = 0; rank < plan.worldSize(); ++rank) times.push_back(1.0 / cluster.speedOf(rank));
    return maxOverMean(times);
}

}  // namespace

Imbalance imbalanceOf(const ModelSpec& model, const ParallelPlan& plan, const Workload& workload,
                      const CostModel& cost) {
    validate(model);
    validate(plan, model, cost.cluster());
    if (workload.replicas.size() != static_cast<std::size_t>(plan.dp)) {
        throw InputError(fmt::format("workload: it has documents for {} replicas; the plan has dp = {}",
                                     workload.replicas.size(), plan.dp));
    }
    const IndexedWorkload index(workload);
    const PlanGroups groups(model, plan, cost.cluster());
    const Schedule layout = layoutOf(plan);
    PredictMemo memo;
    const TaskCosts costs(model, plan, cost, groups, index.shapes, layout, memo);
    const Resimulation again(plan, index, costs, cost.cluster(), layout);

    Imbalance out;
    const double as = again.pipelines({});
    const auto source = [&](std::string_view name, double ratio, const Evened& evened) {
        out.sources.push_back({name, ratio, Seconds(std::max(0.0, as - again.pipelines(evened)))});
    };
    out.pipelines = Seconds(as);
    out.even = Seconds(again.pipelines({true, true, true, true}));
    source("dp", maxOverMean(again.byReplica(true)), {.dp = true});
    source("micro_batches", again.microBatchImbalance(), {.microBatches = true});
    out.sources.push_back(contextSource(model, plan, workload, cost));
    source("stages", maxOverMean(again.byStage()), {.stages = true});
    source("devices", slowestOverMeanSpeed(cost.cluster(), plan), {.devices = true});
    return out;
}

PackCost packCost(const ModelSpec& model, const ParallelPlan& plan, std::int64_t tokens, const CostModel& cost) {
    const std::int64_t eighth = std::max<std::int64_t>(1, tokens / 8);
    const MicroBatch whole{{8 * eighth}};
    const MicroBatch parts{std::vector<std::int64_t>(8, eighth)};
    const MicroBatch half{std::vector<std::int64_t>(4, eighth)};
    const PlanGroups groups(model, plan, cost.cluster());
    const Schedule layout = layoutOf(plan);
    PredictMemo memo;
    const TaskCosts costs(model, plan, cost, groups, {&whole, &parts, &half}, layout, memo);
    const auto seconds = [&](std::uint32_t shape) {
        std::vector<double> stages(static_cast<std::size_t>(plan.pp), 0.0);
        for (int v = 0; v < layout.virtualStages(); ++v) {
            for (const TaskKind kind : {TaskKind::forward, TaskKind::backward, TaskKind::backwardWeight})
                stages[static_cast<std::size_t>(layout.stageOf(v))] += costs.of(shape, v, kind).total();
        }
        return *std::max_element(stages.begin(), stages.end());
    };
    const double partPairs = parts.causalPairs();
    PackCost law;
    law.perPair = std::max(0.0, (seconds(0) - seconds(1)) / std::max(1.0, whole.causalPairs() - partPairs));
    const double both = 4.0 * static_cast<double>(eighth);  // tokens between half and parts
    const double linear = seconds(1) - seconds(2) - law.perPair * partPairs / 2.0;
    law.perToken = std::max(0.0, linear / both);
    law.perPack = std::max(0.0, seconds(1) - law.perPair * partPairs - 2.0 * both * law.perToken);
    return law;
}

}  // namespace orrery
