#include "data/samples/profile_samples.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "data/samples/range_samples.hpp"
#include "data/samples/step_means.hpp"

namespace orrery {
namespace {

using GpuKey = std::tuple<OpClass, std::int64_t, std::int64_t>;  // kind, bytes, group size

/// Collectives of GPU traces. Without all members' arrivals a duration includes waiting for them, so the shortest of
/// the repeats of a size stands for the transfer itself.
void addGpuCollectives(const Profile& profile, const std::string& source, ProfileSamples& out) {
    std::map<std::int64_t, std::string> deviceOf;
    for (const DeviceInfo& device : profile.devices()) deviceOf.emplace(device.rankId, device.name);
    std::map<std::pair<std::string, GpuKey>, std::int64_t> shortest;
    profile.forEachCollective([&](const CollectiveView& c) {
        if (!c.bytes || !c.groupSize || !c.duration || *c.bytes <= 0 || *c.groupSize < 2 || *c.duration <= 0) {
            ++out.skipped["collective without bytes, group size or time"];
            return;
        }
        const auto device = deviceOf.find(c.rankId);
        const std::string name = device == deviceOf.end() ? std::string() : device->second;
        const auto [known, isNew] = shortest.try_emplace({name, GpuKey{c.kind, *c.bytes, *c.groupSize}}, *c.duration);
        if (!isNew) known->second = std::min(known->second, *c.duration);
    });
    for (const auto& [key, nanoseconds] : shortest) {
        CollectiveSample sample;
        sample.device = key.first;
        sample.kind = std::get<0>(key.second);
        sample.ranks = static_cast<int>(std::get<2>(key.second));
        sample.bytes = Bytes(static_cast<double>(std::get<1>(key.second)));
        sample.time = fromNanoseconds(nanoseconds);
        sample.source = source;
        out.samples.collectives.push_back(std::move(sample));
    }
}

void addMeasurements(const Profile& profile, const std::string& source, ProfileSamples& out) {
    std::string deviceName;
    for (const DeviceInfo& device : profile.devices()) deviceName = device.name;
    for (const MeasurementRow& m : profile.measurements()) {
        if (!m.ranks || !m.bytes || !m.time || *m.ranks < 2 || *m.bytes <= 0 || *m.time <= 0) {
            ++out.skipped["benchmark row without ranks, bytes or time"];
            continue;
        }
        if (m.inPlace.value_or(false)) continue;  // the same transfer a second time
        CollectiveSample sample;
        sample.device = deviceName;
        sample.kind = m.kind;
        sample.ranks = static_cast<int>(*m.ranks);
        sample.nodes = static_cast<int>(m.nodes.value_or(1));
        sample.link = m.link;
        sample.bytes = Bytes(static_cast<double>(*m.bytes));
        sample.time = fromNanoseconds(*m.time);
        sample.source = source;
        out.samples.collectives.push_back(std::move(sample));
    }
}

}  // namespace

std::optional<std::int64_t> firstKeptStep(const Profile& profile, int warmUpSteps) {
    std::optional<std::int64_t> first, last;
    profile.forEachRange([&](const RangeView& range) {
        if (range.domain != "orrery" || range.schema != "orrery.step") return;
        const std::optional<std::int64_t> step = range.integer("step");
        if (!step) return;
        first = std::min(first.value_or(*step), *step);
        last = std::max(last.value_or(*step), *step);
    });
    if (!first) return std::nullopt;
    return std::min(*first + warmUpSteps, *last);  // the only step recorded is better than none
}

ProfileSamples readProfileSamples(const Profile& profile, const SampleOptions& options) {
    std::map<std::int64_t, RankInfo> ranks;
    for (const RankInfo& rank : profile.ranks()) ranks.emplace(rank.id, rank);
    const std::string source = profile.file().filename().string();
    profile_samples::RangeCollector collector(options, firstKeptStep(profile, options.warmUpSteps).value_or(-1), source,
                                              std::move(ranks));
    profile.forEachRange([&](const RangeView& range) { collector.add(range); });
    collector.finish();
    ProfileSamples out = std::move(collector.result);
    out.samples.kernels = profile_samples::meansWithinSteps(std::move(out.samples.kernels), collector.kernelSteps);
    profile_samples::pairComms(collector.comms, options, source, out);
    const bool annotated = !collector.comms.empty();
    if (!annotated) addGpuCollectives(profile, source, out);
    addMeasurements(profile, source, out);
    return out;
}

}  // namespace orrery
