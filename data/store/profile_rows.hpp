// Rows of a profile as plain structs: what writers fill and readers hand out. Columns as in schema.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/ops/op.hpp"

namespace orrery {

/// Application id in the SQLite header ("ORRY"), so that a profile is told from any other database.
inline constexpr std::int32_t kProfileApplicationId = 0x4F525259;
inline constexpr int kProfileSchemaVersion = 2;

struct RankRow {
    std::string file, source;
    std::optional<std::int64_t> rank, worldSize;
    std::string host;
    std::optional<std::int64_t> pid;
    std::int64_t clockOffset = 0;
    std::optional<std::int64_t> clockUncertainty, baseTime;
};

struct KernelRow {
    std::int64_t rankId = 0;
    std::int64_t device = 0, stream = 0;
    std::int64_t start = 0, duration = 0;
    std::int64_t nameId = 0;
    OpClass cls = OpClass::other;
    std::optional<std::int64_t> correlation, graphNode, collectiveId, step;
};

struct CopyRow {
    std::int64_t rankId = 0;
    std::int64_t device = 0, stream = 0;
    std::int64_t start = 0, duration = 0;
    std::int64_t nameId = 0;
    std::optional<std::int64_t> bytes;
    bool isMemset = false;
    std::optional<std::int64_t> correlation;
};

enum class RangeKind : std::uint8_t { pushPop, startEnd, mark };

struct RangeRow {
    std::int64_t rankId = 0;
    std::int64_t thread = 0;
    std::optional<std::int64_t> endThread;
    std::int64_t start = 0;
    std::optional<std::int64_t> duration;
    RangeKind kind = RangeKind::pushPop;
    int depth = 0;
    std::optional<std::int64_t> domainId, categoryId;
    std::int64_t nameId = 0;
    std::optional<std::uint32_t> color;
};

using PayloadValue = std::variant<std::monostate, std::int64_t, double, std::string>;
/// Values by field position of the schema; at most 12.
struct PayloadRow {
    std::int64_t rangeId = 0, schemaId = 0;
    std::vector<PayloadValue> values;
};

struct PayloadField {
    std::string name, type;
};

struct CollectiveRow {
    std::int64_t rankId = 0;
    OpClass kind = OpClass::other;
    std::optional<std::int64_t> bytes, groupId, groupSize;
    std::string dtype, algorithm, protocol;  ///< empty: unknown
    std::optional<std::int64_t> sequence, peer, start, duration;
};

struct StepRow {
    std::int64_t rankId = 0, step = 0, start = 0, duration = 0;
};

/// One row of a benchmark sweep (nccl-tests): a collective of `bytes` over `ranks`, without waiting for peers.
struct MeasurementRow {
    OpClass kind = OpClass::other;
    std::optional<std::int64_t> ranks, nodes, bytes, time;  ///< time in ns
    std::optional<double> algbw, busbw;                     ///< 10^9 bytes/s
    std::string dtype;
    std::optional<bool> inPlace;
    std::string link;
};

struct ClockSampleRow {
    std::int64_t rankId = 0, profile = 0, realtime = 0, monotonicRaw = 0;
    std::optional<std::int64_t> tsc;
    std::int64_t window = 0;
};

/// A call of the CUDA API that starts work or waits for it.
struct ApiCallRow {
    std::int64_t rankId = 0, thread = 0, start = 0, duration = 0, nameId = 0;
    std::optional<std::int64_t> correlation;
};

/// A wait for a stream, an event or a context; a stream's wait for an event has no duration.
struct SynchronizationRow {
    std::int64_t rankId = 0;
    std::optional<std::int64_t> context, stream, event;
    std::int64_t start = 0, duration = 0, nameId = 0;
    std::optional<std::int64_t> correlation;
};

struct CudaEventRow {
    std::int64_t rankId = 0;
    std::optional<std::int64_t> device, context, stream, event, time, correlation;
};

/// Time that recording itself took from the program.
struct ProfilingOverheadRow {
    std::int64_t rankId = 0;
    std::optional<std::int64_t> thread;
    std::int64_t start = 0, duration = 0, nameId = 0;
};

struct ExternalCorrelationRow {
    std::int64_t rankId = 0, correlation = 0, kind = 0, externalId = 0;
};

/// The profile's clock and that of the GPU records, read together.
struct GpuClockSampleRow {
    std::int64_t rankId = 0, profile = 0, gpu = 0, window = 0;
};

/// When a controlled recording was on.
struct CaptureWindowRow {
    std::int64_t rankId = 0, start = 0;
    std::optional<std::int64_t> end;  ///< nothing: until the record ended
    std::string reason;
};

}  // namespace orrery
