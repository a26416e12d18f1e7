// A timeline arranged in rows for drawing: one row a track and nesting depth, spans of a row never overlap.
// Answers "what is visible here at this zoom?" by binary search, whatever the number of spans. Knows no colours, no Qt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery::gui {

/// Spans of one row in columns, sorted by start; `source[i]` is the span's row in its Timeline.
struct RowSpans {
    std::uint32_t track = 0;
    int depth = 0;
    std::vector<std::int64_t> start, end;
    std::vector<std::uint32_t> source;
    std::vector<Phase> phase;
    std::vector<OpClass> cls;

    /// Level of detail: what 8, 64, 512 ... neighbours together cover, and the longest of them. So a frame of the whole
    /// of ten million spans reads a small part of them.
    static constexpr std::size_t kBlock = 8;
    struct Block {
        std::int64_t start = 0, end = 0, longestDuration = 0;
        std::uint32_t longest = 0;  ///< index in this row
    };
    std::vector<std::vector<Block>> levels;
};

/// What a run of pixels shows: one span that is wide enough to see, or several that merged into less than a pixel.
struct VisibleSpan {
    std::int64_t start = 0, end = 0;
    std::uint32_t source = 0;  ///< the span, or the longest of the merged ones
    Phase phase = Phase::other;
    OpClass cls = OpClass::other;
    std::uint32_t merged = 1;  ///< how many spans this stands for
};

class RowIndex {
  public:
    /// Puts the timeline's spans into rows; O(n) for a sorted timeline. Meant for a background job.
    explicit RowIndex(const Timeline& timeline);

    [[nodiscard]] const std::vector<RowSpans>& rows() const { return rows_; }

    /// Spans of a row that are visible in [from, to), spans shorter than `resolution` ns merged with their neighbours
    /// in the same pixel. Work is bounded by (to - from) / resolution, not by the number of spans.
    void visible(std::size_t row, std::int64_t from, std::int64_t to, std::int64_t resolution,
                 std::vector<VisibleSpan>& out) const;

    /// The span of a row that covers `time`, or the nearest within `tolerance` ns; -1 when there is none.
    [[nodiscard]] std::int64_t at(std::size_t row, std::int64_t time, std::int64_t tolerance) const;

  private:
    std::vector<RowSpans> rows_;
};

}  // namespace orrery::gui
