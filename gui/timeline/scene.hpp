// Which rows the timeline shows, from top to bottom: ranks, their lanes, and in each lane predicted above measured.
// Heights in device-independent pixels; no colours.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gui/session/session.hpp"

namespace orrery::gui {

struct SceneRow {
    bool header = false;
    int rank = 0, stage = -1;
    Lane lane = Lane::task;
    Side side = Side::measured;
    std::size_t index = 0;  ///< row of that side's RowIndex
    bool first = false;     ///< the lane's first row on this side carries its label
    int y = 0, height = 0;
    std::string label;
};

/// One side as it is drawn: the index, and where its zero stands.
struct SceneSide {
    TimelineSide data;
    std::int64_t offset = 0;
    std::vector<std::uint8_t> patterns;  ///< per name id: Pattern of a wait of that name
};

class Scene {
  public:
    static constexpr int kHeaderHeight = 22, kRowHeight = 18, kThinHeight = 12, kRowsBeforeFolding = 160;

    void setSides(const TimelineSide& predicted, const TimelineSide& measured);
    void setOffset(std::int64_t predicted) { sides_[0].offset = predicted; }
    void toggle(int rank);
    void setAllFolded(bool folded);
    [[nodiscard]] bool folded(int rank) const { return folded_.contains(rank); }

    [[nodiscard]] const std::vector<SceneRow>& rows() const { return rows_; }
    [[nodiscard]] const SceneSide& side(Side which) const { return sides_[static_cast<std::size_t>(which)]; }
    [[nodiscard]] SceneSide& side(Side which) { return sides_[static_cast<std::size_t>(which)]; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    /// The row at a height; nullptr below the last.
    [[nodiscard]] const SceneRow* at(int y) const;
    /// The row that shows a span, opening its rank when that is folded; nullptr when no row does.
    [[nodiscard]] const SceneRow* reveal(Side side, std::uint32_t row);
    /// First start and last end of both sides on the shared axis.
    [[nodiscard]] TimeRange extent() const;

  private:
    void layOut();
    void addLane(int rank, Lane lane, Side side, int height, bool onlyFirst);

    std::array<SceneSide, 2> sides_;
    std::set<int> folded_;
    std::vector<int> ranks_;
    std::vector<SceneRow> rows_;
    int height_ = 0;
};

}  // namespace orrery::gui
