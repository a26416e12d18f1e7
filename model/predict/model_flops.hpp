// Floating-point operations that a model needs, whatever the plan: what MFU counts. Docs: docs/model.md, "Metrics".
#pragma once

#include "model/spec/layer_kind.hpp"
#include "model/spec/model_spec.hpp"
#include "model/spec/parallel_plan.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

/// Forward FLOPs of `tokens` tokens with `pairs` causal query-key pairs: 2 per token and matrix weight (layers and
/// output matrix, no embedding look-up), 4 per pair, head and head element.
[[nodiscard]] Flops forwardFlops(const ModelSpec& model, double tokens, double pairs);

/// The same of one layer of a kind.
[[nodiscard]] Flops layerForwardFlops(const ModelSpec& model, const LayerKind& kind, double tokens, double pairs);

/// Model FLOPs of a step of `tokens` tokens: 3 x forward (backward is twice forward), nothing recomputed, causal pairs
/// only, so that attention counts half of its square (PaLM, arXiv 2204.02311, appendix B, counts the full square).
[[nodiscard]] Flops modelFlops(const ModelSpec& model, double tokens, double pairs);

/// The same with what the plan's recomputation repeats: hardware FLOPs (Korthikanti et al. 2022, section 6.3).
[[nodiscard]] Flops hardwareFlops(const ModelSpec& model, const ParallelPlan& plan, double tokens, double pairs);

}  // namespace orrery
