// The step time behind a published row, also where the source prints only a rate: each source counts FLOPs its own way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/published/training_csv.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

/// What a source's TFLOP/s or MFU counts, per token (docs/validation.md, "FLOP conventions").
enum class FlopConvention {
    modelFull,      ///< 6 per matrix weight + full attention square (12 L a d s); Megatron's formula
    modelCausal,    ///< the same with half of the attention square
    weightsOnly,    ///< 6 N, no attention
    withRecompute,  ///< 4/3 of modelFull's layers: the recomputed forward is counted (hardware FLOPs)
    recomputeIfOn,  ///< as withRecompute where the row recomputes fully, else modelFull
};
[[nodiscard]] FlopConvention conventionOf(std::string_view source);

/// FLOPs of one token of a dense model by the convention.
[[nodiscard]] double flopsPerToken(const TrainingRow& row, FlopConvention convention);

struct MeasuredStep {
    Seconds step{};
    std::string_view basis;  ///< "step", "tokens/s", "TFLOP/s" or "MFU": the printed number it follows from
};

/// Step time as printed, else from tokens/s, else from TFLOP/s or MFU by the source's convention; nothing when the row
/// lacks both. MFU peaks are those of README's table: A100 312, H100 989.
[[nodiscard]] std::optional<MeasuredStep> measuredStep(const TrainingRow& row);

}  // namespace orrery
