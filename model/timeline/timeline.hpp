// What prediction and measurement both produce: spans on tracks, in columns. Everything that shows one shows the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/ops/op.hpp"

namespace orrery {

/// What a rank is doing, in the words of the schedule.
enum class Phase : std::uint8_t {
    forward,
    backward,
    backwardWeight,  ///< the weight half alone, where a schedule splits it off
    recompute,
    optimizer,
    gradReduce,
    paramGather,
    tensorComm,
    contextComm,
    expertComm,
    pipelineComm,  ///< transfer between stages
    wait,          ///< nothing to do: pipeline bubble or waiting for a peer
    step,          ///< the whole optimizer step
    other,
};
[[nodiscard]] std::string_view name(Phase phase);

/// Which row of a rank. `task` holds whole phases of micro-batches, `op` the operators inside them.
enum class Lane : std::uint8_t { step, task, op, comm, copy, host, kernel };
[[nodiscard]] std::string_view name(Lane lane);

struct Track {
    int rank = 0;
    Lane lane = Lane::task;
    int stage = -1;   ///< pipeline stage, -1 unknown
    int device = -1;  ///< -1: not a device row
    std::int64_t stream = -1;
    std::string label;
};

/// Each distinct text once; ids are dense and start at 0.
class StringTable {
  public:
    std::uint32_t intern(std::string_view text);
    [[nodiscard]] std::string_view text(std::uint32_t id) const { return texts_[id]; }
    [[nodiscard]] std::size_t size() const { return texts_.size(); }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
    };
    std::vector<std::string> texts_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

/// One span by value, for adding and for reading a row; storage is columnar.
struct Span {
    std::uint32_t track = 0;
    std::int64_t start = 0;     ///< ns on the timeline's own axis
    std::int64_t duration = 0;  ///< ns, >= 0
    Phase phase = Phase::other;
    OpClass cls = OpClass::other;
    std::uint32_t name = 0;        ///< id in Timeline::names
    std::int32_t microBatch = -1;  ///< -1: not applicable
    std::int32_t step = -1;
    std::int16_t stage = -1;
    std::int64_t bytes = -1;  ///< of a transfer or collective as its law takes them; -1: unknown
    std::int32_t peer = -1;   ///< rank that a transfer goes to; -1: none, or unknown

    [[nodiscard]] std::int64_t end() const { return start + duration; }
};

/// Spans of all tracks. Spans of one track may come in any order until `sort()`; then by (track, start, longer first).
class Timeline {
  public:
    std::vector<Track> tracks;
    StringTable names;

    std::uint32_t addTrack(Track track);
    void add(const Span& span);
    void reserve(std::size_t spans);
    void sort();
    /// Gives a row another name (id in `names`).
    void rename(std::size_t row, std::uint32_t name) { name_[row] = name; }

    [[nodiscard]] std::size_t size() const { return start_.size(); }
    [[nodiscard]] Span span(std::size_t row) const;
    /// Earliest start and latest end; {0, 0} when empty.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> extent() const;

  private:
    std::vector<std::uint32_t> track_;
    std::vector<std::int64_t> start_, duration_;
    std::vector<Phase> phase_;
    std::vector<OpClass> cls_;
    std::vector<std::uint32_t> name_;
    std::vector<std::int32_t> microBatch_, step_;
    std::vector<std::int16_t> stage_;
    std::vector<std::int64_t> bytes_;
    std::vector<std::int32_t> peer_;
};

}  // namespace orrery
