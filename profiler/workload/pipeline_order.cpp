#include "profiler/workload/pipeline_order.hpp"

#include <algorithm>

namespace orrery::workload {

std::vector<PipelineTask> pipelineOrder(Schedule schedule, int stage, int stages, int microBatches) {
    const int warmup = schedule == Schedule::gpipe ? microBatches : std::min(microBatches, stages - stage - 1);
    std::vector<PipelineTask> order;
    for (int i = 0; i < warmup; ++i) order.push_back({true, i});
    for (int i = 0; i < microBatches; ++i) {
        if (warmup + i < microBatches) order.push_back({true, warmup + i});
        order.push_back({false, i});
    }
    return order;
}

}  // namespace orrery::workload
