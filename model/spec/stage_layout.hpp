// Where the chunks of a model lie on pipeline stages, and how many layers each holds.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/parallel_plan.hpp"

namespace orrery {

/// loop: stage 0..p-1 again and again (Megatron's interleaving); vee: there and back, so that the first stage also
/// holds the end of the model (ZB-V, DualPipeV); mirror: every stage also holds a copy of the part of its mirror image,
/// for micro-batches that enter at the other end (DualPipe).
enum class Placement : std::uint8_t { loop, vee, mirror };

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

}  // namespace orrery
