// A profile database opened for reading. The file is not trusted: read-only, hostile schemas disarmed, version checked.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/store/profile_rows.hpp"

namespace orrery {

/// A rank row with its id in the file.
struct RankInfo : RankRow {
    std::int64_t id = 0;
};

struct DeviceInfo {
    std::int64_t rankId = 0, device = 0;
    std::string name;
    std::optional<std::int64_t> memoryBytes, multiprocessors;
};

/// Texts stay valid as long as the Profile.
struct KernelView : KernelRow {
    std::int64_t id = 0;
    std::string_view name;
};
struct CopyView : CopyRow {
    std::string_view name;
};
struct CollectiveView : CollectiveRow {
    std::int64_t id = 0;
};

/// A range with its texts and payload resolved.
struct RangeView : RangeRow {
    std::int64_t id = 0;
    std::string_view name, domain, category;
    std::string_view schema;                            ///< empty: no payload
    const std::vector<PayloadField>* fields = nullptr;  ///< of the schema
    std::vector<PayloadValue> values;                   ///< by field position

    /// Value of a payload field by name; nothing when absent, not a number or NULL.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view field) const;
    [[nodiscard]] std::optional<double> real(std::string_view field) const;
};

struct ProcessGroupInfo {
    std::int64_t id = 0, rankId = 0;
    std::string name, description;
    std::optional<std::int64_t> size;
    std::string ranks;
};
struct LossInfo {
    std::int64_t rankId = 0;
    std::string kind;
    std::int64_t count = 0;
};
struct ApiCallView : ApiCallRow {
    std::string_view name;
};
struct SynchronizationView : SynchronizationRow {
    std::string_view name;
};
struct ProfilingOverheadView : ProfilingOverheadRow {
    std::string_view name;
};
struct MetadataInfo {
    std::optional<std::int64_t> rankId;
    std::string key, value;
};
struct ThreadInfo {
    std::int64_t rankId = 0, thread = 0;
    std::string name;
};

class Profile {
  public:
    /// Throws InputError: no such file, not a profile, empty, newer schema (with the mend), damaged.
    explicit Profile(const std::filesystem::path& file);
    ~Profile();
    Profile(Profile&&) noexcept;
    Profile& operator=(Profile&&) noexcept;

    [[nodiscard]] const std::filesystem::path& file() const;
    [[nodiscard]] std::vector<RankInfo> ranks() const;
    [[nodiscard]] std::vector<DeviceInfo> devices() const;
    [[nodiscard]] std::vector<ThreadInfo> threads() const;
    [[nodiscard]] std::vector<StepRow> steps() const;
    [[nodiscard]] std::vector<LossInfo> losses() const;
    [[nodiscard]] std::vector<MetadataInfo> metadata() const;
    [[nodiscard]] std::vector<ProcessGroupInfo> processGroups() const;
    [[nodiscard]] std::vector<ClockSampleRow> clockSamples() const;
    [[nodiscard]] std::vector<MeasurementRow> measurements() const;

    [[nodiscard]] std::vector<GpuClockSampleRow> gpuClockSamples() const;
    [[nodiscard]] std::vector<CaptureWindowRow> captureWindows() const;

    /// Rows in order of (rank, start). The callback may not keep the view beyond the call.
    void forEachKernel(const std::function<void(const KernelView&)>& visit) const;
    void forEachCopy(const std::function<void(const CopyView&)>& visit) const;
    void forEachRange(const std::function<void(const RangeView&)>& visit) const;
    /// Ranges that carry a payload, as they were stored: several times as fast where the order does not matter.
    void forEachRangeWithPayload(const std::function<void(const RangeView&)>& visit) const;
    void forEachCollective(const std::function<void(const CollectiveView&)>& visit) const;
    void forEachApiCall(const std::function<void(const ApiCallView&)>& visit) const;
    void forEachSynchronization(const std::function<void(const SynchronizationView&)>& visit) const;
    void forEachCudaEvent(const std::function<void(const CudaEventRow&)>& visit) const;
    void forEachProfilingOverhead(const std::function<void(const ProfilingOverheadView&)>& visit) const;
    void forEachExternalCorrelation(const std::function<void(const ExternalCorrelationRow&)>& visit) const;

    /// How many ranges each rank has.
    [[nodiscard]] std::map<std::int64_t, std::int64_t> rangeCounts() const;
    /// Rows of a table, for summaries; throws std::logic_error for a table the schema does not have.
    [[nodiscard]] std::int64_t count(std::string_view table) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether a file starts as an SQLite database with our application id. Never throws.
[[nodiscard]] bool isProfile(const std::filesystem::path& file);

}  // namespace orrery
