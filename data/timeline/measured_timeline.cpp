#include "data/timeline/measured_timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "data/timeline/annotated_ranges.hpp"
#include "model/timeline/waits.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

using Axes = std::map<std::int64_t, RankAxis>;

/// Rank numbers and clock shifts. Files that do not say their rank (or say one that is taken) get the next free one.
Axes axesOf(const std::vector<RankInfo>& ranks, std::vector<std::string>& warnings) {
    std::map<int, const RankInfo*> taken;
    std::vector<const RankInfo*> nameless;
    Axes axes;
    for (const auto& rank : ranks) {
        const bool says = rank.rank && *rank.rank >= 0 && *rank.rank <= std::numeric_limits<int>::max();
        if (says && taken.emplace(static_cast<int>(*rank.rank), &rank).second) {
            axes[rank.id] = {static_cast<int>(*rank.rank), rank.clockOffset};
        } else {
            nameless.push_back(&rank);
        }
    }
    int next = 0;
    for (const auto* rank : nameless) {
        while (taken.contains(next)) ++next;
        taken.emplace(next, rank);
        axes[rank->id] = {next, rank->clockOffset};
        if (ranks.size() > 1) {
            warnings.push_back(fmt::format("{}: {}; shown as rank {}", rank->file,
                                           rank->rank ? "another file has the same rank" : "does not say its rank",
                                           next));
        }
    }
    return axes;
}

/// Kernels, collectives and copies of device traces, a track per device, stream and lane.
class DeviceRows {
  public:
    DeviceRows(Timeline& out, const Axes& axes) : out_(out), axes_(axes) {}

    template <typename Row>
    void add(const Row& row, OpClass cls, Lane lane, std::optional<std::int64_t> step) {
        const auto axis = axes_.find(row.rankId);
        if (axis == axes_.end() || row.duration < 0) return;
        Span span;
        span.track = track(axis->second.rank, row.device, row.stream, lane);
        span.start = row.start + axis->second.shift;
        span.duration = row.duration;
        span.cls = cls;
        span.name = out_.names.intern(row.name);
        if (step && *step >= 0 && *step <= std::numeric_limits<std::int32_t>::max()) {
            span.step = static_cast<std::int32_t>(*step);
        }
        out_.add(span);
    }

  private:
    std::uint32_t track(int rank, std::int64_t device, std::int64_t stream, Lane lane) {
        const auto [found, isNew] = tracks_.try_emplace({rank, device, stream, lane}, 0U);
        if (isNew) {
            Track made;
            made.rank = rank;
            made.lane = lane;
            made.device = static_cast<int>(device);
            made.stream = stream;
            made.label = fmt::format("gpu {} str. {} {}", device, stream, lane == Lane::comm ? "comm" : name(lane));
            found->second = out_.addTrack(std::move(made));
        }
        return found->second;
    }

    Timeline& out_;
    const Axes& axes_;
    std::map<std::tuple<int, std::int64_t, std::int64_t, Lane>, std::uint32_t> tracks_;
};

void addSteps(const Profile& profile, const Axes& axes, Timeline& out) {
    std::map<int, std::uint32_t> tracks;
    for (const auto& step : profile.steps()) {
        const auto axis = axes.find(step.rankId);
        const bool valid =
            step.duration >= 0 && step.step >= 0 && step.step <= std::numeric_limits<std::int32_t>::max();
        if (axis == axes.end() || !valid) continue;
        const auto [found, isNew] = tracks.try_emplace(axis->second.rank, 0U);
        if (isNew) {
            Track made;
            made.rank = axis->second.rank;
            made.lane = Lane::step;
            made.label = std::string(name(Lane::step));
            found->second = out.addTrack(std::move(made));
        }
        Span span;
        span.track = found->second;
        span.start = step.start + axis->second.shift;
        span.duration = step.duration;
        span.phase = Phase::step;
        span.step = static_cast<std::int32_t>(step.step);
        span.name = out.names.intern(fmt::format("step {}", step.step));
        out.add(span);
    }
}

/// The same spans with the earliest at 0.
Timeline rebased(Timeline timeline) {
    const auto first = timeline.extent().first;
    Timeline out;
    out.tracks = std::move(timeline.tracks);
    out.names = timeline.names;
    out.reserve(timeline.size());
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        Span span = timeline.span(row);
        span.start -= first;
        out.add(span);
    }
    out.sort();
    return out;
}

}  // namespace

MeasuredTimeline readMeasuredTimeline(const Profile& profile) {
    MeasuredTimeline out;
    const auto ranks = profile.ranks();
    const Axes axes = axesOf(ranks, out.warnings);
    for (const auto& rank : ranks) {
        const auto world = rank.worldSize.value_or(0);
        if (world > 0 && world < std::numeric_limits<int>::max()) {
            out.worldSize = std::max(out.worldSize, static_cast<int>(world));
        }
    }
    Timeline timeline;
    AnnotatedRanges ranges(timeline, axes);
    profile.forEachRange([&](const RangeView& range) { ranges.add(range); });
    out.annotated = ranges.any();
    ranges.finish(out.worldSize);
    if (ranges.openRanges() > 0) {
        out.warnings.push_back(
            fmt::format("{} range(s) were open when the recording ended and are not shown", ranges.openRanges()));
    }
    if (ranges.badRanges() > 0) {
        out.warnings.push_back(
            fmt::format("{} range(s) have a payload that docs/annotations.md does not allow", ranges.badRanges()));
    }
    DeviceRows devices(timeline, axes);
    bool hasKernels = false;
    profile.forEachKernel([&](const KernelView& kernel) {
        hasKernels = true;
        devices.add(kernel, kernel.cls, isCollective(kernel.cls) ? Lane::comm : Lane::kernel, kernel.step);
    });
    profile.forEachCopy([&](const CopyView& copy) { devices.add(copy, OpClass::copy, Lane::copy, std::nullopt); });
    if (!out.annotated) addSteps(profile, axes, timeline);
    if (timeline.size() == 0) {
        throw InputError(
            fmt::format("{}: has neither annotated ranges nor kernels to put on a timeline; record an "
                        "annotated job (docs/annotations.md) or import a device trace",
                        profile.file().string()));
    }
    if ((out.annotated && !ranges.hasComm()) || (!out.annotated && hasKernels)) markGapsAsWaits(timeline);
    out.timeline = rebased(std::move(timeline));
    nameWaits(out.timeline);
    return out;
}

}  // namespace orrery
