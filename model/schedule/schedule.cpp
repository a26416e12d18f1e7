#include "model/schedule/schedule.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "model/schedule/orders.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {
constexpr std::array<std::string_view, 3> kKindNames{"forward", "backward", "weight gradient"};
}

std::string_view name(TaskKind kind) {
    return kKindNames.at(static_cast<std::size_t>(kind));
}

Schedule makeSchedule(ScheduleKind kind, int stages, int chunks, int microBatches) {
    if (stages < 1 || chunks < 1 || microBatches < 1) {
        throw InputError(fmt::format("schedule: {} stages, {} chunks and {} micro-batches must be positive", stages,
                                     chunks, microBatches));
    }
    switch (kind) {
        case ScheduleKind::gpipe:
            return gpipe(stages, microBatches);
        case ScheduleKind::oneFOneB:
            return oneFOneB(stages, microBatches);
        case ScheduleKind::interleaved:
            return interleaved(stages, chunks, microBatches);
        case ScheduleKind::zbH1:
            return zbH1(stages, microBatches);
        case ScheduleKind::zbH2:
            return zbH2(stages, microBatches);
        case ScheduleKind::zbV:
            return zbV(stages, microBatches);
        case ScheduleKind::vHalf:
            return vHalf(stages, microBatches);
        case ScheduleKind::vMin:
            return vMin(stages, microBatches);
        case ScheduleKind::dualPipe:
            return dualPipe(stages, microBatches);
        case ScheduleKind::dualPipeV:
            return dualPipeV(stages, microBatches);
        case ScheduleKind::given:
            break;
    }
    throw InputError("schedule: 'given' needs an order of tasks; give the plan one");
}

Schedule makeSchedule(const ParallelPlan& plan, int microBatches) {
    return plan.schedule == ScheduleKind::given ? givenOrder(plan, microBatches)
                                                : makeSchedule(plan.schedule, plan.pp, plan.vpp, microBatches);
}

Schedule layoutOf(const ParallelPlan& plan) {
    Schedule layout;
    layout.stages = plan.pp;
    layout.placement = placementOf(plan);
    layout.chunks = layout.mirrored() ? 2 : plan.vpp;
    switch (plan.schedule) {
        case ScheduleKind::gpipe:
        case ScheduleKind::oneFOneB:
        case ScheduleKind::interleaved:
            break;
        case ScheduleKind::given:
            layout.splitBackward = splitsBackward(plan.order);
            break;
        default:
            layout.splitBackward = true;
    }
    return layout;
}

void validate(const Schedule& schedule) {
    const std::size_t kinds = schedule.splitBackward ? 3 : 2;
    const auto microBatches = static_cast<std::size_t>(schedule.microBatches);
    const std::size_t cells = static_cast<std::size_t>(schedule.chunks) * microBatches;
    const std::size_t perStage = schedule.mirrored() ? microBatches : cells;
    std::vector<std::uint8_t> seen;
    for (int stage = 0; stage < schedule.stages; ++stage) {
        seen.assign(cells * 3, 0);
        for (const Task& task : schedule.of(stage)) {
            const auto kind = static_cast<std::size_t>(task.kind);
            const bool known = task.chunk >= 0 && task.chunk < schedule.chunks && task.microBatch >= 0 &&
                               task.microBatch < schedule.microBatches && kind < kinds &&
                               (!schedule.mirrored() || task.chunk == task.microBatch % 2);
            const std::size_t row =
                known ? static_cast<std::size_t>(task.chunk) * microBatches + static_cast<std::size_t>(task.microBatch)
                      : 0;
            if (known && seen[row * 3 + kind]++ == 0) continue;
            throw InputError(fmt::format("schedule: stage {}: {} of micro-batch {}, chunk {}, is {}", stage,
                                         name(task.kind), task.microBatch, task.chunk,
                                         known ? "listed twice; list it once" : "not a task of this schedule"));
        }
        if (!schedule.of(stage).empty() && schedule.of(stage).back().joined) {
            throw InputError(
                fmt::format("schedule: stage {}: the last task is joined to nothing; end it alone", stage));
        }
        if (schedule.of(stage).size() != perStage * kinds) {
            throw InputError(fmt::format("schedule: stage {} lists {} of its {} tasks; list each once", stage,
                                         schedule.of(stage).size(), perStage * kinds));
        }
    }
}

}  // namespace orrery
