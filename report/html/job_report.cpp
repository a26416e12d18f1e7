#include "report/html/job_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/timeline/step_window.hpp"
#include "model/timeline/waits.hpp"

namespace orrery {
namespace {

std::string modelText(const ModelSpec& model) {
    std::string out = model.name.empty() ? "" : model.name + ": ";
    out += fmt::format("{} layers, hidden {}, {} heads", model.layers, model.hidden, model.heads);
    if (model.kvHeads != model.heads) out += fmt::format(" ({} kv)", model.kvHeads);
    return out + fmt::format(", vocabulary {}", model.vocab);
}

std::string planText(const ParallelPlan& plan) {
    std::string out = fmt::format("dp {} · tp {} · pp {} ({})", plan.dp, plan.tp, plan.pp, name(plan.schedule));
    if (plan.vpp > 1) out += fmt::format(" · vpp {}", plan.vpp);
    if (plan.cp > 1) out += fmt::format(" · cp {}", plan.cp);
    if (plan.ep > 1) out += fmt::format(" · ep {}", plan.ep);
    return out +
           fmt::format(" · {} · recompute {} · {}", name(plan.sharding), name(plan.recompute), name(plan.precision));
}

std::string joined(const std::set<std::string>& texts) {
    std::string out;
    for (const auto& text : texts) out.append(out.empty() ? "" : ", ").append(text);
    return out;
}

void addRecordingFacts(const Profile& profile, const MeasuredTimeline& measured, ReportData& data) {
    std::set<std::string> sources, hosts, devices;
    for (const auto& rank : profile.ranks()) {
        sources.insert(rank.source);
        if (!rank.host.empty()) hosts.insert(rank.host);
    }
    for (const auto& device : profile.devices()) {
        if (!device.name.empty()) devices.insert(device.name);
    }
    data.facts.emplace_back("profile", profile.file().filename().string());
    data.facts.emplace_back("recorded by", joined(sources));
    data.facts.emplace_back("ranks", fmt::to_string(ranksOf(measured.timeline).size()));
    if (!hosts.empty()) data.facts.emplace_back("host", joined(hosts));
    if (!devices.empty()) data.facts.emplace_back("device", joined(devices));
}

void addScenarioFacts(const Scenario& scenario, ReportData& data) {
    data.facts.emplace_back("model", modelText(scenario.model));
    data.facts.emplace_back("plan", planText(scenario.plan));
    if (!scenario.cluster.name.empty()) data.facts.emplace_back("cluster", scenario.cluster.name);
    data.facts.emplace_back("batch", fmt::format("{} micro-batches a replica, {} tokens a step",
                                                 scenario.workload.microBatches(), scenario.workload.tokens()));
    const auto& calibration = scenario.calibration.name;
    data.facts.emplace_back("calibration", calibration.empty() ? "none: data-sheet efficiencies" : calibration);
}

void addLosses(const Profile& profile, ReportData& data) {
    std::map<std::int64_t, int> rankOf;
    for (const auto& rank : profile.ranks()) {
        rankOf[rank.id] = static_cast<int>(rank.rank.value_or(static_cast<std::int64_t>(rankOf.size())));
    }
    for (const auto& loss : profile.losses()) {
        data.lossesKnown = true;
        if (loss.count != 0) data.losses.push_back({rankOf[loss.rankId], loss.kind, loss.count});
    }
}

}  // namespace

Comparison compareJob(const MeasuredTimeline& measured, const JobPrediction* predicted, int skipSteps) {
    CompareOptions options;
    options.skipSteps = skipSteps;
    std::string warning;
    if (skipSteps < 0) {
        const auto steps = static_cast<int>(commonSteps(measured.timeline).size());
        options.skipSteps = steps > kDefaultSkipSteps ? kDefaultSkipSteps : 0;
        if (options.skipSteps < kDefaultSkipSteps) {
            warning = "only one step was recorded whole, so it counts although it may have warmed up";
        }
    }
    Comparison comparison;
    if (predicted == nullptr) {
        comparison = summarize(measured.timeline, options);
    } else {
        checkSameJob(predicted->scenario, measured.timeline, measured.worldSize);
        comparison = compare(predictedTimeline(predicted->prediction), measured.timeline, options);
    }
    if (!warning.empty()) comparison.warnings.push_back(warning);
    return comparison;
}

ReportData reportOf(const Profile& profile, const MeasuredTimeline& measured, const JobPrediction* predicted,
                    int skipSteps) {
    ReportData data;
    data.title = profile.file().stem().string();
    data.comparison = compareJob(measured, predicted, skipSteps);
    data.measured = extractStep(measured.timeline, data.comparison.medianStep);
    addRecordingFacts(profile, measured, data);
    data.warnings = measured.warnings;
    data.warnings.insert(data.warnings.end(), data.comparison.warnings.begin(), data.comparison.warnings.end());
    if (predicted != nullptr) {
        const Prediction& prediction = predicted->prediction;
        if (!predicted->scenario.name.empty()) data.title = predicted->scenario.name;
        addScenarioFacts(predicted->scenario, data);
        const Timeline timeline = predictedTimeline(prediction);
        data.predicted = extractStep(timeline, commonSteps(timeline).front());
        data.relativeSigma = prediction.metrics.relativeSigma;
        data.warnings.insert(data.warnings.end(), prediction.warnings.begin(), prediction.warnings.end());
        for (const auto& stage : prediction.stages) {
            data.memory.push_back({stage.stage, stage.memory});
        }
    }
    addLosses(profile, data);
    return data;
}

Timeline predictedTimeline(const Prediction& prediction) {
    Timeline timeline = prediction.timeline;
    markGapsAsWaits(timeline);
    nameWaits(timeline);
    timeline.sort();
    return timeline;
}

std::vector<NamedTimeline> timelinesOf(const ReportData& data) {
    std::vector<NamedTimeline> out;
    if (data.predicted) out.push_back({"predicted", *data.predicted});
    if (data.measured) out.push_back({"measured", *data.measured});
    return out;
}

}  // namespace orrery
