// Documents in the order in which they arrive, dealt out to steps.
#pragma once

#include "model/packing/packing.hpp"

namespace orrery {

/// Batch i ends with the document that brings the tokens to i + 1 steps'. What is left at the end joins the last batch.
[[nodiscard]] GlobalBatches inGlobalBatches(const std::vector<std::int64_t>& documents, std::int64_t tokensPerStep);

}  // namespace orrery
