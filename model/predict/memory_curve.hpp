// Memory of a device over the predicted step: what the stages hold for backward passes rises and falls with the tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/predict/prediction.hpp"

namespace orrery {

/// From `time` on a device holds so much for backward passes to come.
struct MemoryPoint {
    std::int64_t time = 0;  ///< ns on the timeline's axis
    Bytes activations{};
};

struct MemoryCurve {
    int stage = 0;
    int rank = 0;                     ///< whose tasks these are: the stage's first in the timeline
    std::vector<MemoryPoint> points;  ///< by time; starts with 0 bytes at 0
    std::int64_t peakTime = 0;        ///< the first time of the most
    Bytes peak{};                     ///< StagePrediction's activations less its backwardWorking
};

/// A curve for each stage of a prediction drawn with PredictOptions::timeline. A micro-batch's activations of a chunk
/// are held from the start of its forward pass to the end of its backward pass, or of the weight half where that is
/// split off. Throws InputError as predict does.
[[nodiscard]] std::vector<MemoryCurve> memoryCurves(const Scenario& scenario, const Timeline& predicted);

}  // namespace orrery
