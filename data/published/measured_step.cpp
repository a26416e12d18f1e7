#include "data/published/measured_step.hpp"

namespace orrery {
namespace {

double value(const std::optional<std::int64_t>& number, double otherwise) {
    return number ? static_cast<double>(*number) : otherwise;
}

/// Peak that the source divides by, in FLOP/s; 0 when unknown.
double peakOf(const TrainingRow& row) {
    if (row.gpu.starts_with("A100") || row.gpu == "A800") return 312e12;
    if (row.gpu.starts_with("H100") || row.gpu == "H800" || row.gpu == "H200") {
        return row.precision.starts_with("fp8") ? 1979e12 : 989e12;
    }
    if (row.gpu == "MI250X-GCD") return 191.5e12;
    return 0.0;
}

}  // namespace

FlopConvention conventionOf(std::string_view source) {
    if (source == "sc21" || source == "tr11") return FlopConvention::withRecompute;
    if (source == "internevo") return FlopConvention::recomputeIfOn;
    if (source == "mbridge" || source == "zoo" || source == "mcoremoe") return FlopConvention::modelCausal;
    if (source == "flagperf") return FlopConvention::weightsOnly;
    return FlopConvention::modelFull;
}

double flopsPerToken(const TrainingRow& row, FlopConvention convention) {
    const double layers = value(row.layers, 0), hidden = value(row.hidden, 0), vocab = value(row.vocab, 0);
    const double heads = value(row.heads, 1);
    const double headDim = value(row.headDim, hidden / heads);
    const double kvHeads = value(row.kvHeads, heads);
    const double ffn = value(row.ffnHidden, 4.0 * hidden);
    const double matrices = row.gatedMlp ? 3.0 : 2.0;
    double attentionWeights = 2.0 * hidden * headDim * (heads + kvHeads);
    double pairWidth = heads * headDim;
    if (row.attentionKind == "mla") {  // DeepSeek-V3: ranks 1536 and 512, 64 rotary dimensions, value dimension 128
        attentionWeights = hidden * 1536.0 + 1536.0 * heads * (headDim + 64.0) + hidden * (512.0 + 64.0) +
                           512.0 * heads * (headDim + 128.0) + heads * 128.0 * hidden;
        pairWidth = heads * (headDim + 64.0 + 128.0) / 2.0;
    }
    const bool experts = value(row.experts, 1) > 1;
    const double denseLayers = experts ? value(row.denseLayers, 0) : layers;
    const double activeFfn = value(row.topK, 0) * value(row.expertFfn, ffn) + value(row.sharedFfn, 0);
    const double mlpWeights = matrices * hidden * (denseLayers * ffn + (layers - denseLayers) * activeFfn);
    const double square = layers * pairWidth * value(row.sequence, 0);  // scores and values: 2 x 2 FLOPs a pair
    const double layerPart = 6.0 * (layers * attentionWeights + mlpWeights);
    const double outputPart = 6.0 * hidden * vocab;
    const bool recomputed = convention == FlopConvention::withRecompute ||
                            (convention == FlopConvention::recomputeIfOn && row.recompute == "full");
    if (convention == FlopConvention::weightsOnly) return layerPart + outputPart;
    if (convention == FlopConvention::modelCausal) return layerPart + 6.0 * square + outputPart;
    return (recomputed ? 4.0 / 3.0 : 1.0) * (layerPart + 12.0 * square) + outputPart;
}

std::optional<MeasuredStep> measuredStep(const TrainingRow& row) {
    if (row.stepSeconds) return MeasuredStep{Seconds(*row.stepSeconds), "step"};
    if (!row.globalBatch || !row.sequence || !row.gpus) return std::nullopt;
    const double tokensPerGpu =
        static_cast<double>(*row.globalBatch) * static_cast<double>(*row.sequence) / static_cast<double>(*row.gpus);
    if (row.tokensPerSecondPerGpu) return MeasuredStep{Seconds(tokensPerGpu / *row.tokensPerSecondPerGpu), "tokens/s"};
    const double work = tokensPerGpu * flopsPerToken(row, conventionOf(row.source()));
    if (row.tflopsPerGpu) return MeasuredStep{Seconds(work / (*row.tflopsPerGpu * 1e12)), "TFLOP/s"};
    if (row.mfuPercent && peakOf(row) > 0.0) {
        return MeasuredStep{Seconds(work / (*row.mfuPercent * 0.01 * peakOf(row))), "MFU"};
    }
    return std::nullopt;
}

}  // namespace orrery
