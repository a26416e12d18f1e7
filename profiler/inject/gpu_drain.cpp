#include "profiler/inject/gpu_drain.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/gpu_recording.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// A record cannot come from the future; conversion and clocks are exact to much less.
constexpr std::int64_t kTolerance = kSecond;

std::optional<std::int64_t> wide(std::optional<std::uint32_t> value) {
    return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

}  // namespace

GpuDrain::GpuDrain(ProfileWriter& writer, std::int64_t rankId, const Settings& settings)
    : session_(cupti::Session::instance()),
      writer_(&writer),
      rankId_(rankId),
      flushPeriod_(settings.gpu.flushMilliseconds * 1'000'000),
      begin_(monotonicNow() - 60 * kSecond),
      recordable_(gpuRecordable()) {
    if (session_.state() == cupti::SessionState::ready) sampleClock(true);
}

void GpuDrain::record(bool on) {
    if (session_.state() != cupti::SessionState::ready || on == session_.enabled()) return;
    on ? static_cast<void>(session_.enable()) : session_.disable();
}

void GpuDrain::moveTo(ProfileWriter& writer, std::int64_t rankId) {
    writer_ = &writer;
    rankId_ = rankId;
    described_ = false;
    devices_.clear();
    nextKeptClock_ = 0;
}

bool GpuDrain::pass(std::int64_t now, bool last) {
    const bool first = !described_;
    if (first) describe();
    if (session_.state() != cupti::SessionState::ready) return first;
    if (now < nextFlush_ && !last) return first;
    nextFlush_ = now + flushPeriod_;
    const bool keep = last || now >= nextKeptClock_;
    if (keep) nextKeptClock_ = now + kSecond;
    session_.flush(last);
    sampleClock(keep);  // after the flush: what it returned lies between this pair and earlier ones
    const std::int64_t records = session_.drain(*this);
    if (last) {
        session_.disable();
        if (const auto drift = clock_.drift()) {
            writer_->addMetadata(rankId_, "gpu_clock_drift_ppm", fmt::format("{:.3f}", *drift * 1e6));
        }
    }
    return first || keep || records > 0;
}

void GpuDrain::describe() {
    described_ = true;
    if (!recordable_) {
        writer_->addMetadata(rankId_, "gpu", fmt::format("not recorded: {}", session_.message()));
        return;
    }
    writer_->addMetadata(rankId_, "gpu", session_.message());
    if (!session_.refusedKinds().empty()) {
        writer_->addMetadata(rankId_, "gpu_not_recorded", fmt::format("{}", fmt::join(session_.refusedKinds(), ", ")));
    }
}

void GpuDrain::sampleClock(bool keep) {
    GpuClockSampleRow best;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::int64_t before = monotonicNow();
        const std::uint64_t gpu = session_.timestamp();
        const std::int64_t after = monotonicNow();
        if (gpu == 0) return;
        if (attempt != 0 && after - before >= best.window) continue;
        best = {rankId_, before + (after - before) / 2, static_cast<std::int64_t>(gpu), after - before};
    }
    const bool changed = clock_.add(best.gpu, best.profile);
    clockChanges_ += changed ? 1 : 0;
    if (keep || changed) writer_->addGpuClockSample(best);
}

std::optional<GpuDrain::Interval> GpuDrain::interval(std::uint64_t start, std::uint64_t end) {
    if (start == 0 || end == 0 || end < start) {
        ++withoutTimes_;
        return std::nullopt;
    }
    const auto from = clock_.toProfile(static_cast<std::int64_t>(start));
    const auto to = clock_.toProfile(static_cast<std::int64_t>(end));
    if (!from || !to || *from < begin_ || *to > monotonicNow() + kTolerance ||
        (control_ != nullptr && !control_->wanted(*from))) {
        ++outOfWindow_;
        return std::nullopt;
    }
    return Interval{*from, *to - *from};
}

std::int64_t GpuDrain::nameId(std::string_view name) {
    return writer_->string(isUtf8(name) ? name : cleanUtf8(name));
}

void GpuDrain::kernel(const cupti::KernelActivity& activity) {
    const auto when = interval(activity.start, activity.end);
    if (!when) return;
    KernelRow row;
    row.rankId = rankId_;
    row.device = activity.device;
    row.stream = activity.stream;
    row.start = when->start;
    row.duration = when->duration;
    row.nameId = nameId(activity.name);
    row.correlation = activity.correlation;
    if (activity.graphNode) row.graphNode = static_cast<std::int64_t>(*activity.graphNode);
    writer_->addKernel(row);
}

void GpuDrain::copy(const cupti::CopyActivity& activity) {
    const auto when = interval(activity.start, activity.end);
    if (!when) return;
    CopyRow row;
    row.rankId = rankId_;
    row.device = activity.device;
    row.stream = activity.stream;
    row.start = when->start;
    row.duration = when->duration;
    row.nameId = writer_->string(activity.name);
    row.bytes = static_cast<std::int64_t>(activity.bytes);
    row.isMemset = activity.isMemset;
    row.correlation = activity.correlation;
    writer_->addCopy(row);
}

void GpuDrain::api(const cupti::ApiActivity& activity) {
    const auto when = interval(activity.start, activity.end);
    if (!when) return;
    writer_->addApiCall(
        {rankId_, activity.thread, when->start, when->duration, writer_->string(activity.name), activity.correlation});
}

void GpuDrain::synchronization(const cupti::SynchronizationActivity& activity) {
    const auto when = interval(activity.start, activity.end);
    if (!when) return;
    writer_->addSynchronization({rankId_, activity.context, wide(activity.stream), wide(activity.event), when->start,
                                 when->duration, writer_->string(activity.name), activity.correlation});
}

void GpuDrain::event(const cupti::EventActivity& activity) {
    CudaEventRow row{rankId_, wide(activity.device), activity.context, activity.stream, activity.event,
                     {},      activity.correlation};
    if (activity.time) row.time = clock_.toProfile(static_cast<std::int64_t>(*activity.time));
    writer_->addCudaEvent(row);
}

void GpuDrain::overhead(const cupti::OverheadActivity& activity) {
    const auto when = interval(activity.start, activity.end);
    if (!when) return;
    writer_->addProfilingOverhead(
        {rankId_, wide(activity.thread), when->start, when->duration, writer_->string(activity.name)});
}

void GpuDrain::external(const cupti::ExternalActivity& activity) {
    writer_->addExternalCorrelation(
        {rankId_, activity.correlation, activity.type, static_cast<std::int64_t>(activity.id)});
}

void GpuDrain::device(const cupti::DeviceActivity& activity) {
    if (!devices_.insert(activity.device).second) return;
    writer_->addDevice(rankId_, activity.device, cleanUtf8(activity.name), static_cast<std::int64_t>(activity.memory),
                       activity.multiprocessors);
}

std::vector<std::pair<std::string, std::int64_t>> GpuDrain::losses() const {
    if (session_.state() != cupti::SessionState::ready) return {};
    const cupti::SessionLosses lost = session_.losses();
    return {{"gpu_dropped", lost.dropped},
            {"gpu_buffers_refused", lost.buffersRefused},
            {"gpu_without_times", withoutTimes_},
            {"gpu_out_of_window", outOfWindow_},
            {"gpu_names_lost", lost.namesLost},
            {"gpu_unknown_records", unknown_},
            {"gpu_foreign_buffers", lost.foreignBuffers},
            {"gpu_clock_changes", clockChanges_}};
}

}  // namespace orrery::inject
