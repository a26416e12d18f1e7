// Runs a schedule task by task: one compute lane a stage, transfers between stages, any time for any task.
// Linear in the number of tasks, and flat arrays only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/schedule/schedule.hpp"

namespace orrery {

/// Times in seconds. Micro-batches of equal shape share a row, so the tables stay small. Bare doubles: this is the
/// hottest loop of the model; its callers hold Seconds.
struct TaskTimes {
    int virtualStages = 1;
    std::vector<std::uint32_t> shapeOf;  ///< per micro-batch
    std::vector<double> duration;        ///< [row(shape, virtualStage) * 3 + kind]
    std::vector<double> transfer;        ///< [row(shape, virtualStage) * 2 + direction]: sending this virtual stage's
                                         ///< output forward (0) or its input gradient back (1)
    std::vector<double> release;         ///< per stage: when its lane is free for its first task; empty: 0
    bool blockingSends = false;          ///< a stage waits until its output has been transferred

    TaskTimes() = default;
    TaskTimes(int stages, std::size_t shapes, std::vector<std::uint32_t> shapeOfMicroBatch)
        : virtualStages(stages),
          shapeOf(std::move(shapeOfMicroBatch)),
          duration(shapes * static_cast<std::size_t>(stages) * 3, 0.0),
          transfer(shapes * static_cast<std::size_t>(stages) * 2, 0.0) {}

    [[nodiscard]] std::size_t row(std::uint32_t shape, int virtualStage) const {
        return static_cast<std::size_t>(shape) * static_cast<std::size_t>(virtualStages) +
               static_cast<std::size_t>(virtualStage);
    }
    [[nodiscard]] double& of(std::uint32_t shape, int virtualStage, TaskKind kind) {
        return duration[row(shape, virtualStage) * 3 + static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] double of(std::uint32_t shape, int virtualStage, TaskKind kind) const {
        return duration[row(shape, virtualStage) * 3 + static_cast<std::size_t>(kind)];
    }
    /// The same time for every micro-batch and virtual stage: `forward`, `backward` (whole, or its input half),
    /// `weight`.
    [[nodiscard]] static TaskTimes uniform(int stages, int microBatches, double forward, double backward,
                                           double weight = 0.0);
};

struct Simulation {
    std::vector<double> start;                        ///< per task, as in Schedule::tasks
    std::vector<double> forwardReady, backwardReady;  ///< inputs' arrival [virtual stage, micro-batch], kept as buffers
    std::vector<double> stageEnd;                     ///< when the last task (and its blocking send) of each stage ends
    double makespan = 0.0;
};

/// \pre times fit the schedule's counts.  Throws InputError when the order cannot run (a task waits for one that comes
/// after it).
[[nodiscard]] Simulation simulate(const Schedule& schedule, const TaskTimes& times);
/// The same into an earlier result, whose memory is used again: twice to five times as fast for large schedules,
/// because the pages need not be mapped anew.
void simulate(const Schedule& schedule, const TaskTimes& times, Simulation& out);

/// Highest sum of held activations of each stage over the order of its tasks. `held` is what one micro-batch of a shape
/// holds in a virtual stage, [shape * virtualStages + virtualStage]; held from the forward pass to the backward pass,
/// or to the weight half where backward is split.
[[nodiscard]] std::vector<double> peakActivations(const Schedule& schedule, const std::vector<std::uint32_t>& shapeOf,
                                                  const std::vector<double>& held);

}  // namespace orrery
