// What the search field means: words of the name, and stage:1, mb:3, rank:0, step:2, phase:forward, class:gemm.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/session.hpp"

namespace orrery::gui {

class SpanFilter {
  public:
    SpanFilter() = default;
    /// Words are looked for in names without regard to case. A field that is not known is taken as a word.
    SpanFilter(const QString& query, const TimelineSide& predicted, const TimelineSide& measured);

    [[nodiscard]] bool active() const { return active_; }
    [[nodiscard]] bool matches(Side side, const Timeline& timeline, const Span& span) const;
    /// How many spans match on both sides; one pass.
    [[nodiscard]] std::int64_t count(const TimelineSide& predicted, const TimelineSide& measured) const;

  private:
    bool take(const QString& word);

    bool active_ = false;
    std::optional<int> stage_, microBatch_, rank_, step_;
    std::optional<Phase> phase_;
    std::optional<OpClass> cls_;
    std::array<std::vector<bool>, 2> names_;  ///< per side and name id
};

}  // namespace orrery::gui
