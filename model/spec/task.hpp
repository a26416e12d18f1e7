// What a pipeline stage does for a micro-batch, and where the parts of a model lie on stages.
#pragma once

#include <cstdint>

namespace orrery {

/// backward is the whole backward pass, or its input half where a schedule moves the weight half (`splitBackward`).
enum class TaskKind : std::uint8_t { forward, backward, backwardWeight };

struct Task {
    std::int32_t microBatch = 0;
    std::int16_t chunk = 0;  ///< model chunk of the stage, 0-based, in model order
    TaskKind kind = TaskKind::forward;
    bool joined = false;  ///< runs as one with the next task of the stage: outputs of both leave when both are done

    bool operator==(const Task&) const = default;
};

/// loop: stage 0..p-1 again and again (Megatron's interleaving); vee: there and back, so that the first stage also
/// holds the end of the model (ZB-V, DualPipeV); mirror: every stage also holds a copy of the part of its mirror image,
/// for micro-batches that enter at the other end (DualPipe): even ones pass chunk 0, odd ones chunk 1.
enum class Placement : std::uint8_t { loop, vee, mirror };

}  // namespace orrery
