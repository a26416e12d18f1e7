#include "gui/session/job.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "data/calibration/calibration_file.hpp"
#include "data/replay/replay_input.hpp"
#include "data/samples/profile_samples.hpp"
#include "data/scenario/complete_scenario.hpp"
#include "data/scenario/scenario_file.hpp"
#include "data/timeline/measured_timeline.hpp"
#include "gui/session/temporary_profile.hpp"
#include "model/timeline/step_window.hpp"
#include "model/units/input_error.hpp"
#include "report/html/job_report.hpp"

namespace orrery::gui {
namespace {

struct Inputs {
    std::optional<std::filesystem::path> scenario, calibration;
    std::vector<std::filesystem::path> recordings;
};

bool isCalibration(const std::filesystem::path& file) {
    if (file.extension() != ".json") return false;
    std::ifstream in(file, std::ios::binary);
    std::string head(256, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find("\"orrery-calibration\"") != std::string::npos;
}

Inputs sorted(const std::vector<std::filesystem::path>& files) {
    Inputs inputs;
    const auto take = [](std::optional<std::filesystem::path>& place, const std::filesystem::path& file,
                         std::string_view what) {
        if (place) {
            throw InputError(fmt::format("{}: a second {} beside {}; open one at a time", file.string(), what,
                                         place->filename().string()));
        }
        place = file;
    };
    for (const auto& file : files) {
        if (!std::filesystem::exists(file)) {
            throw InputError(fmt::format("{}: no such file; it may have been moved or deleted", file.string()));
        }
        if (file.extension() == ".toml") {
            take(inputs.scenario, file, "scenario");
        } else if (isCalibration(file)) {
            take(inputs.calibration, file, "calibration");
        } else {
            inputs.recordings.push_back(file);
        }
    }
    if (inputs.calibration && !inputs.scenario) {
        throw InputError(fmt::format("{}: a calibration says nothing on its own; open a scenario (.toml) with it",
                                     inputs.calibration->string()));
    }
    return inputs;
}

TimelineSide sideOf(Timeline timeline) {
    TimelineSide side;
    side.timeline = std::make_shared<const Timeline>(std::move(timeline));
    side.index = std::make_shared<const RowIndex>(*side.timeline);
    return side;
}

void addPrediction(Job& job, Scenario scenario) {
    const std::string calibration = completeScenario(scenario);
    scenario.calibration.name = calibration;
    job.scenario = std::move(scenario);
    job.prediction = predict(*job.scenario, {.timeline = true, .operatorSpans = true});
    job.warnings.insert(job.warnings.end(), job.prediction->warnings.begin(), job.prediction->warnings.end());
    if (!job.scenario->name.empty()) job.title = job.scenario->name;
}

std::vector<StepExtent> stepsOf(const Timeline& timeline) {
    bool recorded = false;
    for (const auto& track : timeline.tracks) recorded = recorded || track.lane == Lane::step;
    if (!recorded) return {};
    std::map<int, StepExtent> steps;
    for (const auto& window : stepWindows(timeline)) {
        const auto [found, isNew] = steps.try_emplace(window.step, StepExtent{window.step, window.begin, window.end});
        if (isNew) continue;
        found->second.begin = std::min(found->second.begin, window.begin);
        found->second.end = std::max(found->second.end, window.end);
    }
    std::vector<StepExtent> out;
    for (const auto& [number, extent] : steps) out.push_back(extent);
    return out;
}

/// A recording that cannot be compared is still worth looking at: what stands in the way becomes a warning.
template <typename Action>
void orWarn(Job& job, Action action) {
    try {
        action();
    } catch (const InputError& error) {
        job.warnings.emplace_back(error.what());
    }
}

void addRecording(Job& job, const std::vector<std::filesystem::path>& files, const importers::Progress& progress) {
    const TemporaryProfile source(files, progress);
    for (const auto& file : source.summary().files) {
        for (const auto& warning : file.result.warnings) {
            job.warnings.push_back(fmt::format("{}: {}", file.file.filename().string(), warning.text));
        }
    }
    for (const auto& warning : source.summary().warnings) job.warnings.push_back(warning.text);
    if (progress.isCancelled()) throw importers::Cancelled();
    const Profile profile(source.file());
    job.facts = profileFacts(profile);
    orWarn(job, [&] { job.samples = readProfileSamples(profile).samples; });
    try {
        ReplayGraph graph(readReplayInput(profile).job);
        StragglerAnalysis analysis = analyseStragglers(graph);
        job.replay = std::make_shared<const Replay>(Replay{std::move(graph), std::move(analysis)});
    } catch (const InputError& error) {
        job.noReplay = error.what();
    }
    if (progress.isCancelled()) throw importers::Cancelled();
    std::optional<MeasuredTimeline> measured;
    orWarn(job, [&] { measured = readMeasuredTimeline(profile); });
    if (!measured) return;
    job.warnings.insert(job.warnings.end(), measured->warnings.begin(), measured->warnings.end());
    if (progress.isCancelled()) throw importers::Cancelled();
    job.steps = stepsOf(measured->timeline);
    orWarn(job, [&] {
        if (!job.prediction) return;
        const JobPrediction predicted{*job.scenario, *job.prediction};
        job.report = reportOf(profile, *measured, &predicted, -1);
    });
    if (!job.report) orWarn(job, [&] { job.report = reportOf(profile, *measured, nullptr, -1); });
    if (job.report) {
        job.report->title = job.title;
        if (!job.steps.empty()) job.step = job.report->comparison.medianStep;
        const auto& more = job.report->comparison.warnings;
        job.warnings.insert(job.warnings.end(), more.begin(), more.end());
    }
    job.measured = sideOf(std::move(measured->timeline));
}

void finish(Job& job) {
    if (job.prediction) {
        job.memoryCurves = memoryCurves(*job.scenario, job.prediction->timeline);
        job.predicted = sideOf(predictedTimeline(*job.prediction));
        job.prediction->timeline = Timeline{};
    }
    std::vector<std::string> once;
    for (auto& warning : job.warnings) {
        if (std::find(once.begin(), once.end(), warning) == once.end()) once.push_back(std::move(warning));
    }
    job.warnings = std::move(once);
}

}  // namespace

std::shared_ptr<const Job> loadJob(const std::vector<std::filesystem::path>& files,
                                   const importers::Progress& progress) {
    if (files.empty()) throw InputError("nothing to open; name recordings, a scenario, or both");
    const Inputs inputs = sorted(files);
    auto job = std::make_shared<Job>();
    job->files = files;
    job->title = (inputs.recordings.empty() ? *inputs.scenario : inputs.recordings.front()).filename().string();
    if (inputs.recordings.size() > 1) job->title += fmt::format(" and {} more", inputs.recordings.size() - 1);
    if (inputs.scenario) {
        Scenario scenario = readScenario(*inputs.scenario);
        if (inputs.calibration) {
            scenario.calibration = readCalibration(*inputs.calibration);
            if (scenario.calibration.name.empty()) scenario.calibration.name = inputs.calibration->filename().string();
        }
        addPrediction(*job, std::move(scenario));
    }
    if (progress.isCancelled()) throw importers::Cancelled();
    if (!inputs.recordings.empty()) addRecording(*job, inputs.recordings, progress);
    finish(*job);
    if (job->measured.empty() && job->predicted.empty() && job->facts.empty()) {
        throw InputError(job->warnings.empty() ? "nothing to show" : job->warnings.front());
    }
    return job;
}

std::shared_ptr<const Job> predictedJob(Scenario scenario) {
    auto job = std::make_shared<Job>();
    job->title = scenario.name.empty() ? scenario.model.name : scenario.name;
    addPrediction(*job, std::move(scenario));
    finish(*job);
    return job;
}

}  // namespace orrery::gui
