// One open job: a recording, a scenario with its prediction, or both. Immutable once loaded and shared by all views.
// Filled from data/, model/ and report/; knows no Qt.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/summary/profile_facts.hpp"
#include "gui/timeline/row_index.hpp"
#include "importers/importer.hpp"
#include "model/calibrate/samples.hpp"
#include "model/predict/memory_curve.hpp"
#include "model/predict/prediction.hpp"
#include "model/replay/straggler_analysis.hpp"
#include "report/html/report_data.hpp"

namespace orrery::gui {

/// A timeline with its index for drawing; both null when the job has no such side.
struct TimelineSide {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const RowIndex> index;

    [[nodiscard]] bool empty() const { return timeline == nullptr || timeline->size() == 0; }
};

/// From the first rank that begins a step to the last that ends it, ns on the measured axis.
struct StepExtent {
    int step = 0;
    std::int64_t begin = 0, end = 0;
};

/// A recording rebuilt as a graph of who waits for whom, to ask what-if questions of.
struct Replay {
    ReplayGraph graph;
    StragglerAnalysis analysis;
};

struct Job {
    std::vector<std::filesystem::path> files;
    std::string title;
    std::optional<Scenario> scenario;
    std::optional<Prediction> prediction;  ///< its timeline is moved to `predicted`
    std::optional<ReportData> report;      ///< of a recording with steps, beside the prediction where there is one
    TimelineSide predicted, measured;
    std::vector<StepExtent> steps;         ///< of the recording, in order
    int step = -1;                         ///< the step that the comparison takes; -1 none
    std::vector<RankFacts> facts;          ///< of the recording, a rank each
    Samples samples;                       ///< kernels and collectives with their sizes, where the recording tells them
    std::shared_ptr<const Replay> replay;  ///< of a recording with annotated passes
    std::string noReplay;                  ///< why there is none
    std::vector<MemoryCurve> memoryCurves;  ///< of the prediction
    std::vector<std::string> warnings;
};

/// Reads what the user named: at most one scenario (.toml), at most one calibration (.json made by `orrery calibrate`),
/// and any number of recordings, which become the ranks of one job. Scenario first, so that it is used for comparison.
/// Throws InputError (what, where, the mend) and importers::Cancelled.
[[nodiscard]] std::shared_ptr<const Job> loadJob(const std::vector<std::filesystem::path>& files,
                                                 const importers::Progress& progress);

/// A prediction alone. Throws InputError when the plan does not fit.
[[nodiscard]] std::shared_ptr<const Job> predictedJob(Scenario scenario);

}  // namespace orrery::gui
