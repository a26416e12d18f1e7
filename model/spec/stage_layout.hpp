// Where the chunks of a model lie on pipeline stages, and how many layers each holds.
#pragma once

#include <vector>

#include "model/spec/parallel_plan.hpp"

namespace orrery {

/// By the schedule, or as the plan says where the order of tasks is given.
[[nodiscard]] Placement placementOf(const ParallelPlan& plan);
[[nodiscard]] Placement placementOf(ScheduleKind kind);

/// Chunks that a schedule puts on a stage, where it leaves no choice; 0: `vpp` decides.
[[nodiscard]] int chunksOf(ScheduleKind kind);

/// Stage of position `slot` of the model, 0 .. stages x chunks - 1. Mirrored parts are also on stages - 1 - slot.
[[nodiscard]] inline int stageOfSlot(Placement placement, int stages, int slot) {
    const int within = slot % stages;
    return placement == Placement::vee && (slot / stages) % 2 == 1 ? stages - 1 - within : within;
}

/// Embedding and output layer are on one device, so that tied weights are one matrix.
[[nodiscard]] bool edgesTogether(const ParallelPlan& plan);

/// Position of the multi-token-prediction layers: the plan's, or the last.
[[nodiscard]] int mtpSlotOf(const ParallelPlan& plan);

/// Checks the layer map and the shape of the schedule. Throws InputError that names the field and the mend.
void validateStages(const ParallelPlan& plan, const ModelSpec& model);

}  // namespace orrery
