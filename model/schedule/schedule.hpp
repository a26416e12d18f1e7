// A pipeline schedule: for each stage the order of its tasks. A schedule is a function from (stages, chunks,
// micro-batches) to such an order; times come later, in simulate.hpp. Flat arrays: a job can have 10^5 tasks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/spec/stage_layout.hpp"

namespace orrery {

struct Schedule {
    int stages = 1;
    int chunks = 1;  ///< a stage
    int microBatches = 0;
    Placement placement = Placement::loop;
    bool splitBackward = false;
    std::vector<Task> tasks;           ///< stage by stage
    std::vector<std::uint32_t> begin;  ///< first task of each stage, and the end

    [[nodiscard]] std::span<const Task> of(int stage) const {
        const auto at = static_cast<std::size_t>(stage);
        return {tasks.data() + begin[at], begin[at + 1] - begin[at]};
    }
    /// Position in the model of a stage's chunk, 0 .. virtualStages() - 1.
    [[nodiscard]] int virtualStage(int stage, int chunk) const {
        const bool back = placement != Placement::loop && chunk % 2 == 1;
        return (mirrored() ? 0 : chunk * stages) + (back ? stages - 1 - stage : stage);
    }
    /// Of mirrored parts the one that micro-batches of chunk 0 pass.
    [[nodiscard]] int stageOf(int virtualStage) const { return stageOfSlot(placement, stages, virtualStage); }
    [[nodiscard]] int virtualStages() const { return mirrored() ? stages : stages * chunks; }
    /// Every micro-batch passes one of the two parts of a stage: even ones chunk 0, odd ones chunk 1.
    [[nodiscard]] bool mirrored() const { return placement == Placement::mirror; }
};

/// The named schedule. Throws InputError when `kind` is not available yet or a count is not positive.
[[nodiscard]] Schedule makeSchedule(ScheduleKind kind, int stages, int chunks, int microBatches);

/// The schedule of a plan for so many micro-batches. Throws InputError, also for a given order that is not one of
/// these.
[[nodiscard]] Schedule makeSchedule(const ParallelPlan& plan, int microBatches);

/// "forward", "backward", "weight gradient"
[[nodiscard]] std::string_view name(TaskKind kind);

/// How a plan's schedule lays the model on stages, without tasks.
[[nodiscard]] Schedule layoutOf(const ParallelPlan& plan);

/// Checks a given order: every stage runs every (chunk, micro-batch) forward and backward exactly once, and the weight
/// half exactly when backward is split. Throws InputError that names stage and task.
void validate(const Schedule& schedule);

}  // namespace orrery
