// Ranges that follow docs/annotations.md, as spans: one reader per profile, fed with ranges in (rank, start) order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/store/profile.hpp"
#include "data/timeline/comm_waits.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

/// What is known of a recorded process when its ranges are read.
struct RankAxis {
    int rank = 0;
    std::int64_t shift = 0;  ///< ns to add to the rank's times
};

class AnnotatedRanges {
  public:
    AnnotatedRanges(Timeline& out, std::map<std::int64_t, RankAxis> axes) : out_(out), axes_(std::move(axes)) {}

    /// Takes a range with a payload schema or category of docs/annotations.md; ignores others.
    void add(const RangeView& range);
    /// Adds the waits and names the stages; call once, after the last range.
    void finish(int worldSize);

    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] std::int64_t openRanges() const { return open_; }
    [[nodiscard]] std::int64_t badRanges() const { return bad_; }
    /// Whether any transfer or collective was recorded.
    [[nodiscard]] bool hasComm() const { return !comm_.empty(); }

  private:
    /// The step and task that a thread is in.
    struct Enclosing {
        Span step, task;
    };
    struct RankState {
        std::map<Lane, std::uint32_t> tracks;
        std::map<std::int64_t, Enclosing> threads;
        int stage = -1;
    };

    std::uint32_t track(const RankAxis& axis, Lane lane);
    void addTask(const RangeView& range, Span span, const RankAxis& axis);
    void addOp(const RangeView& range, Span span, const RankAxis& axis);
    void addComm(const RangeView& range, Span span, const RankAxis& axis);

    Timeline& out_;
    std::map<std::int64_t, RankAxis> axes_;
    std::map<int, RankState> ranks_;
    std::vector<CommRecord> comm_;
    std::int64_t open_ = 0, bad_ = 0;
    bool any_ = false;
};

}  // namespace orrery
