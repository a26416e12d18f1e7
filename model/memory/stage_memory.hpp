// Weights, gradients, optimizer states and buffers of a stage by how they are sharded.
#pragma once

#include "model/memory/stage_parameters.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

struct StateMemory {
    Bytes weights{}, gradients{}, optimizer{}, buffers{};
};

/// Model states of one rank by ZeRO stage (Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1): stage 1 divides the
/// optimizer's states by the data-parallel ranks, 2 the gradients too, 3 the weights too. Buffers: with stage 3 two
/// layers' gathered weights and one layer's gradients; with pipeline stages a received activation and a gradient.
[[nodiscard]] StateMemory stateMemory(const ModelSpec& model, const ParallelPlan& plan, const StageParameters& stage,
                                      Bytes transferBytes);

}  // namespace orrery
