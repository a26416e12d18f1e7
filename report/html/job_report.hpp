// From a recorded job, and a prediction of it where there is one, to what a report shows.
#pragma once

#include "data/store/profile.hpp"
#include "data/timeline/measured_timeline.hpp"
#include "model/predict/prediction.hpp"
#include "report/html/report_data.hpp"
#include "report/trace/write_timeline.hpp"

namespace orrery {

/// How many steps at the start of a job do not count, unless the caller says otherwise.
inline constexpr int kDefaultSkipSteps = 1;

/// The prediction of a recorded job; `prediction` must have been made with its timeline and operator spans.
struct JobPrediction {
    const Scenario& scenario;
    const Prediction& prediction;
};

/// Compares where `predicted` is given and summarizes otherwise. `skipSteps` < 0 takes kDefaultSkipSteps, or 0 (with a
/// warning) when the job has no more steps than that. Throws InputError when the profile has no step, or when it is of
/// another job than the scenario (model/compare).
[[nodiscard]] Comparison compareJob(const MeasuredTimeline& measured, const JobPrediction* predicted, int skipSteps);

/// Title, facts, comparison, timelines of one step, memory, warnings and loss counters.
[[nodiscard]] ReportData reportOf(const Profile& profile, const MeasuredTimeline& measured,
                                  const JobPrediction* predicted, int skipSteps);

/// The predicted step as a timeline whose gaps are waits with a cause.
[[nodiscard]] Timeline predictedTimeline(const Prediction& prediction);

/// The timelines of a report, predicted first, for writeTimeline().
[[nodiscard]] std::vector<NamedTimeline> timelinesOf(const ReportData& data);

}  // namespace orrery
