// FLOP formulas of published tables, for turning their TFLOP/s and MFU into times. Not what our MFU counts.
#pragma once

#include <cstdint>

#include "model/spec/model_spec.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

/// Megatron-LM's count for one token at fixed sequence length: 6 per matrix weight (layers, output matrix) plus the
/// full attention square 12 L a d s. For GPT shapes it is 72 L h^2 (1 + s/6h + V/12Lh) (Narayanan et al. 2021, arXiv
/// 2104.04473, section 5.1, without its factor 4/3 for recomputation).
[[nodiscard]] Flops megatronFlopsPerToken(const ModelSpec& model, std::int64_t sequence);

/// The same with recomputed layers: 96 L h^2 (1 + s/6h + V/16Lh) for GPT shapes (equation 3 there).
[[nodiscard]] Flops megatronRecomputeFlopsPerToken(const ModelSpec& model, std::int64_t sequence);

}  // namespace orrery
