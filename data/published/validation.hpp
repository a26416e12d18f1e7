// Predicts every published row that the model covers and sums the errors up by source.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/published/training_csv.hpp"
#include "model/calibrate/calibrate.hpp"
#include "model/calibrate/calibration.hpp"
#include "model/predict/prediction.hpp"

namespace orrery {

struct ValidatedRow {
    std::string id, source;
    std::string skipped;                             ///< why the row was not predicted; empty when it was
    std::string basis;                               ///< the printed number that the measured step follows from
    double measuredStep = 0.0, predictedStep = 0.0;  ///< s
    double errorPercent = 0.0;                       ///< predicted / measured - 1
    MemoryUse memory;                                ///< of the predicted step's fullest stage
    std::optional<double> measuredPeakGib, predictedPeakGib, memoryErrorPercent;
    Breakdown breakdown;  ///< of the predicted step
    std::vector<std::string> assumptions;
};

/// Errors of one source (id prefix), in percent of the measured value; absolute except the bias.
struct SourceErrors {
    std::string source;
    int n = 0, skipped = 0;
    double mean = 0.0, median = 0.0, p95 = 0.0, max = 0.0, bias = 0.0;
    int memoryRows = 0;
    std::optional<double> memoryMean;
};

/// How a framework (catalog entry) drives a GPU.
using RuntimeLookup = std::function<RuntimeSpec(const std::string& framework, const std::string& gpu)>;

struct Validation {
    std::vector<ValidatedRow> rows;  ///< in the order of the table
    std::vector<SourceErrors> summary;
    std::map<std::string, int> skipReasons;
    double meanOfMedians = 0.0;  ///< over sources with a predicted row
};

/// Rows that the model cannot predict, or whose plan it refuses, are skipped with the reason.
[[nodiscard]] Validation validateRows(const std::vector<TrainingRow>& rows, const GpuLookup& lookup,
                                      const RuntimeLookup& runtimes, const Calibration& calibration);

}  // namespace orrery
