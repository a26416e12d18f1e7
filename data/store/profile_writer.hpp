// The one writer of a profile database. Rows go in through prepared statements inside long transactions.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "data/store/profile_rows.hpp"

namespace orrery {

/// How a profile file comes into being.
enum class WriteMode {
    atomic,  ///< written beside the target and renamed by finish(): nothing half-written is ever seen (importers)
    live,    ///< written in place with a write-ahead log: what was committed survives kill -9 (the agent)
};

/// Not thread-safe: one thread writes. Every call may throw std::runtime_error when the disk fails.
class ProfileWriter {
  public:
    /// Creates the file with the current schema. Throws InputError when the place cannot be written.
    explicit ProfileWriter(std::filesystem::path file, WriteMode mode = WriteMode::atomic);
    ~ProfileWriter();
    ProfileWriter(ProfileWriter&&) noexcept;
    ProfileWriter& operator=(ProfileWriter&&) noexcept;

    /// Id of a text, interned once.
    std::int64_t string(std::string_view text);

    std::int64_t addRank(const RankRow&);
    /// Replaces a rank row: formats that tell the rank only at their end write a first row early.
    void updateRank(std::int64_t rankId, const RankRow&);
    /// Sets the number of a rank row alone.
    void assignRank(std::int64_t rankId, std::int64_t rank);
    /// Rank rows so far; their ids count from 1.
    [[nodiscard]] std::int64_t rankCount() const;
    void addDevice(std::int64_t rankId, std::int64_t device, std::string_view name,
                   std::optional<std::int64_t> memoryBytes = {}, std::optional<std::int64_t> multiprocessors = {});
    void addStream(std::int64_t rankId, std::int64_t device, std::int64_t stream, std::string_view name);
    std::int64_t addKernel(const KernelRow&);
    std::int64_t addCopy(const CopyRow&);
    void addThread(std::int64_t rankId, std::int64_t thread, std::string_view name);
    std::int64_t addRange(const RangeRow&);
    /// Closes a range that was written while open.
    void closeRange(std::int64_t rangeId, std::int64_t duration, std::optional<std::int64_t> endThread);
    std::int64_t addPayloadSchema(std::optional<std::int64_t> domainId, std::string_view name,
                                  std::span<const PayloadField> fields);
    void addPayload(const PayloadRow&);
    std::int64_t addProcessGroup(std::int64_t rankId, std::string_view name, std::string_view description,
                                 std::optional<std::int64_t> size, std::string_view ranks);
    std::int64_t addCollective(const CollectiveRow&);
    void addStep(const StepRow&);
    void addClockSample(const ClockSampleRow&);
    void addMeasurement(const MeasurementRow&);
    void addApiCall(const ApiCallRow&);
    void addSynchronization(const SynchronizationRow&);
    void addCudaEvent(const CudaEventRow&);
    void addProfilingOverhead(const ProfilingOverheadRow&);
    void addExternalCorrelation(const ExternalCorrelationRow&);
    void addGpuClockSample(const GpuClockSampleRow&);
    void addCaptureWindow(const CaptureWindowRow&);
    void setLoss(std::int64_t rankId, std::string_view kind, std::int64_t count);
    void addMetadata(std::optional<std::int64_t> rankId, std::string_view key, std::string_view value);

    /// The same, in place of an earlier value of this key.
    void setMetadata(std::int64_t rankId, std::string_view key, std::string_view value);

    /// Commits what was added so far; in live mode it is then safe from kill -9.
    void commit();
    /// Commits, builds indexes, and in atomic mode renames into place. Without it an atomic file leaves no trace.
    void finish();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace orrery
