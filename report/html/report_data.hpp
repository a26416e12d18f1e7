// What an HTML report shows. Filled by the caller; report/ computes nothing but text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/compare/comparison.hpp"
#include "model/predict/prediction.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

/// Records that were lost while recording or importing.
struct LossCount {
    int rank = 0;
    std::string kind;
    std::int64_t count = 0;
};

/// Bytes of one device of a stage at its peak.
struct StageMemory {
    int stage = 0;
    MemoryUse use;
};

struct ReportData {
    std::string title;                                       ///< the job
    std::vector<std::pair<std::string, std::string>> facts;  ///< "model", "plan", "calibration" ... and what they are
    Comparison comparison;
    double relativeSigma = 0.0;                   ///< of the predicted step; 0 unknown
    std::optional<Timeline> predicted, measured;  ///< one step each, from extractStep()
    std::vector<StageMemory> memory;              ///< predicted
    std::vector<LossCount> losses;
    bool lossesKnown = false;  ///< the recorder counted losses, even when all are 0
    std::vector<std::string> warnings;
};

/// One self-contained HTML file: no network, no external files, own style and script. Names from traces are escaped.
[[nodiscard]] std::string htmlReport(const ReportData& data);

}  // namespace orrery
