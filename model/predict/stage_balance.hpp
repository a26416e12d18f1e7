// A layer-to-stage map that evens out the work of stages whose ends carry more than layers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/model_spec.hpp"

namespace orrery {

/// Layers of each of `slots` consecutive (chunk, stage) slots such that the slot with most forward FLOPs has as few as
/// contiguous layers allow; the last slot also carries multi-token prediction and the output layer. What Megatron-Core
/// users write by hand as a pipeline layout. `sequence`: tokens of a document, for the share of attention.
/// \pre slots >= 1
[[nodiscard]] std::vector<int> balancedStageLayers(const ModelSpec& model, int slots, std::int64_t sequence);

}  // namespace orrery
