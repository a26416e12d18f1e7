#include <algorithm>

#include <fmt/format.h>

#include "model/schedule/orders.hpp"
#include "model/units/input_error.hpp"

namespace orrery {

bool splitsBackward(const std::vector<std::vector<Task>>& order) {
    return std::any_of(order.begin(), order.end(), [](const std::vector<Task>& tasks) {
        return std::any_of(tasks.begin(), tasks.end(),
                           [](const Task& task) { return task.kind == TaskKind::backwardWeight; });
    });
}

Schedule givenOrder(const ParallelPlan& plan, int microBatches) {
    Schedule schedule = layoutOf(plan);
    schedule.microBatches = microBatches;
    schedule.begin.push_back(0);
    int most = 0;
    for (const std::vector<Task>& tasks : plan.order) {
        for (const Task& task : tasks) most = std::max(most, task.microBatch + 1);
        schedule.tasks.insert(schedule.tasks.end(), tasks.begin(), tasks.end());
        schedule.begin.push_back(static_cast<std::uint32_t>(schedule.tasks.size()));
    }
    if (most != microBatches) {
        throw InputError(
            fmt::format("plan: the order of tasks is for {} micro-batches; a replica has {}", most, microBatches));
    }
    validate(schedule);
    return schedule;
}

}  // namespace orrery
