// Times of schedules without simulation, where all micro-batches are alike.
#pragma once

#include <optional>
#include <vector>

namespace orrery {

/// Task times of each stage, sends that a stage waits for included.
struct StageTimes {
    std::vector<double> forward, backward;
};

/// When each stage of 1F1B ends, for m like micro-batches and no transfer in the background. Nothing where the form
/// does not hold: it needs m > p, inner stages that are alike, and a last stage that works no less than they do;
/// embedding on the first and loss on the last stage are such a case.
///
/// The longest path climbs to a stage i, follows it from its first backward to its last forward pass, and returns;
/// before and after, where stage i has passes of one kind only, it may do better on the stages above. Linear in p.
/// Equality with the simulation is a property test.
[[nodiscard]] std::optional<std::vector<double>> oneFOneBStageEnds(const StageTimes& times, int microBatches);

/// GPipe and 1F1B with equal stages: (m + p - 1)(tF + tB) (Narayanan et al. 2021, arXiv 2104.04473, section 2.2.1).
[[nodiscard]] inline double equalStagesStep(int stages, int microBatches, double forward, double backward) {
    return (microBatches + stages - 1) * (forward + backward);
}

}  // namespace orrery
