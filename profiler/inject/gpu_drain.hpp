// Moves GPU records from CUPTI's buffers into the profile. Runs on the drain thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "profiler/cupti/session.hpp"
#include "profiler/inject/capture_control.hpp"
#include "profiler/inject/gpu_clock.hpp"
#include "profiler/inject/settings.hpp"

namespace orrery::inject {

class GpuDrain final : public cupti::ActivitySink {
  public:
    GpuDrain(ProfileWriter& writer, std::int64_t rankId, const Settings& settings);

    /// Records outside of the control's windows are counted as out of window.
    void obey(const CaptureControl& control) { control_ = &control; }
    /// Switches CUPTI on or off; what is left in its buffers still comes.
    void record(bool on);
    /// Goes on in another file.
    void moveTo(ProfileWriter& writer, std::int64_t rankId);

    /// Flushes CUPTI when it is time, and writes what came back. The last pass also takes incomplete buffers. True when
    /// rows were written.
    bool pass(std::int64_t now, bool last);

    /// Counts for the losses table, by kind.
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> losses() const;

    void kernel(const cupti::KernelActivity&) override;
    void copy(const cupti::CopyActivity&) override;
    void api(const cupti::ApiActivity&) override;
    void synchronization(const cupti::SynchronizationActivity&) override;
    void event(const cupti::EventActivity&) override;
    void overhead(const cupti::OverheadActivity&) override;
    void external(const cupti::ExternalActivity&) override;
    void device(const cupti::DeviceActivity&) override;
    void unknown() override { ++unknown_; }

  private:
    struct Interval {
        std::int64_t start = 0, duration = 0;
    };
    /// On the profile's clock; nothing, and counted, when a time is missing or is not of this recording.
    std::optional<Interval> interval(std::uint64_t start, std::uint64_t end);
    void sampleClock(bool keep);
    void describe();
    std::int64_t nameId(std::string_view name);

    cupti::Session& session_;
    ProfileWriter* writer_;
    std::int64_t rankId_;
    const CaptureControl* control_ = nullptr;
    const std::int64_t flushPeriod_;
    GpuClock clock_;
    std::int64_t begin_ = 0;  ///< nothing recorded can be older
    const bool recordable_;   ///< CUPTI is ours and took the kinds
    std::int64_t nextFlush_ = 0, nextKeptClock_ = 0;
    std::int64_t withoutTimes_ = 0, outOfWindow_ = 0, unknown_ = 0, clockChanges_ = 0;
    std::set<std::uint32_t> devices_;
    bool described_ = false;
};

}  // namespace orrery::inject
