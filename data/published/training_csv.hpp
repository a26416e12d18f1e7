// Measured training configurations from a table with the columns of training.csv (docs/validation.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/published/csv_table.hpp"

namespace orrery {

/// One row as the source states it; blank cells are absent. Nothing is assumed here.
struct TrainingRow {
    std::string id, place;  ///< place: "file:line"
    std::string modelName, gpu, intraLink, sharding, recompute, precision, attentionImpl, framework, notes,
        attentionKind;
    std::optional<std::int64_t> layers, hidden, heads, kvHeads, headDim, ffnHidden, vocab, sequence;
    bool gatedMlp = false;
    std::optional<std::int64_t> experts, topK, expertFfn, sharedFfn, denseLayers;
    std::optional<std::int64_t> gpus, gpusPerNode, tp, pp, vpp, dp, cp, ep, microBatch, globalBatch;
    bool sequenceParallel = false;
    std::optional<double> interLinkGbps;  ///< Gbit/s per GPU and direction
    std::optional<double> billionParameters;
    std::optional<double> stepSeconds, tflopsPerGpu, mfuPercent, tokensPerSecondPerGpu, peakMemory;
    int complete = 0;

    /// The id's prefix names the source: "korthikanti-3" -> "korthikanti".
    [[nodiscard]] std::string source() const;
};

[[nodiscard]] bool looksLikeTrainingCsv(const CsvTable& table);

/// Throws InputError with line and column when a number is malformed, or a size is not positive.
[[nodiscard]] std::vector<TrainingRow> readTrainingCsv(const CsvTable& table);

}  // namespace orrery
