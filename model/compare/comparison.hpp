// Predicted timeline x measured timeline -> where the time of a step went, phase by phase and class by class.
#pragma once

#include <string>
#include <vector>

#include "model/compare/step_shares.hpp"
#include "model/timeline/timeline.hpp"
#include "model/units/quantity.hpp"

namespace orrery {

struct Scenario;

/// One row of a table: seconds of the step that went to `name` on either side.
struct TimeRow {
    std::string name;
    Seconds predicted{}, measured{};

    [[nodiscard]] Seconds difference() const { return predicted - measured; }
    /// 100 (predicted - measured) / measured; NaN when nothing was measured.
    [[nodiscard]] double errorPercent() const;
};

/// One step of one rank, or the mean over ranks (rank -1). Both groups of rows add up to `step` on both sides.
struct TimeTable {
    int rank = -1;
    int stage = -1;  ///< pipeline stage, -1 unknown
    TimeRow step;
    std::vector<TimeRow> phases;   ///< largest absolute difference first; rows that are zero on both sides are left out
    std::vector<TimeRow> classes;  ///< same, by operator class
};

struct Comparison {
    TimeTable overall;
    std::vector<TimeTable> ranks;
    std::vector<int> steps;          ///< measured steps that count
    std::vector<Seconds> stepTimes;  ///< of those steps: mean over ranks of the rank's own step
    int medianStep = 0;              ///< the step whose time is the (lower) median; the measured rows are its rows
    int skippedSteps = 0;            ///< warm-up steps left out
    bool hasPrediction = true;
    std::vector<std::string> warnings;
};

struct CompareOptions {
    int skipSteps = 1;  ///< measured steps at the start that do not count (caches, allocators, connections warm up)
};

/// Compares one predicted step with the median measured step, rank by rank.
/// Throws InputError when the measurement has no steps, none is left after the skipped ones, or the prediction has a
/// rank that was not measured. Measured ranks without a prediction (tensor-parallel peers of a representative) are left
/// out with a warning.
[[nodiscard]] Comparison compare(const Timeline& predicted, const Timeline& measured, const CompareOptions& = {});

/// The same tables of a measurement alone; `predicted` is 0 everywhere and hasPrediction is false.
[[nodiscard]] Comparison summarize(const Timeline& measured, const CompareOptions& = {});

/// Throws InputError when the measurement is of another job than the scenario: number of ranks (`worldSize` as
/// recorded, 0 unknown) or micro-batches per step. The message says both numbers and the mend.
void checkSameJob(const Scenario& scenario, const Timeline& measured, int worldSize);

}  // namespace orrery
