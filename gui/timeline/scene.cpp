#include "gui/timeline/scene.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gui/style/palette.hpp"
#include "model/timeline/step_window.hpp"

namespace orrery::gui {
namespace {

constexpr std::array kLanes = {Lane::task, Lane::op, Lane::kernel, Lane::comm, Lane::copy, Lane::host};
constexpr std::array kSides = {Side::predicted, Side::measured};

SceneSide prepared(const TimelineSide& data) {
    SceneSide side;
    side.data = data;
    if (data.empty()) return side;
    for (std::size_t id = 0; id < data.timeline->names.size(); ++id) {
        const auto name = data.timeline->names.text(static_cast<std::uint32_t>(id));
        side.patterns.push_back(static_cast<std::uint8_t>(waitPattern(name)));
    }
    return side;
}

}  // namespace

void Scene::setSides(const TimelineSide& predicted, const TimelineSide& measured) {
    sides_ = {prepared(predicted), prepared(measured)};
    folded_.clear();
    std::set<int> ranks;
    std::size_t rows = 0;
    for (const auto& side : sides_) {
        if (side.data.empty()) continue;
        rows += side.data.index->rows().size();
        for (const int rank : ranksOf(*side.data.timeline)) ranks.insert(rank);
    }
    ranks_.assign(ranks.begin(), ranks.end());
    setAllFolded(rows > kRowsBeforeFolding);
}

void Scene::toggle(int rank) {
    if (folded_.erase(rank) == 0) folded_.insert(rank);
    layOut();
}

void Scene::setAllFolded(bool folded) {
    folded_.clear();
    if (folded) folded_.insert(ranks_.begin(), ranks_.end());
    layOut();
}

void Scene::addLane(int rank, Lane lane, Side side, int height, bool onlyFirst) {
    const SceneSide& data = sides_[static_cast<std::size_t>(side)];
    if (data.data.empty()) return;
    const auto& all = data.data.index->rows();
    std::int64_t lastTrack = -1;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Track& track = data.data.timeline->tracks[all[i].track];
        if (track.rank != rank || track.lane != lane) continue;
        SceneRow row;
        row.rank = rank;
        row.stage = track.stage;
        row.lane = lane;
        row.side = side;
        row.index = i;
        row.first = lastTrack != all[i].track;
        row.y = height_;
        row.height = height;
        row.label = lane == Lane::kernel || lane == Lane::comm || lane == Lane::copy ? track.label : "";
        if (row.label.empty()) row.label = name(lane);
        lastTrack = all[i].track;
        rows_.push_back(row);
        height_ += height;
        if (onlyFirst) return;
    }
}

void Scene::layOut() {
    rows_.clear();
    height_ = 0;
    for (const int rank : ranks_) {
        SceneRow header;
        header.header = true;
        header.rank = rank;
        header.y = height_;
        header.height = kHeaderHeight;
        const std::size_t position = rows_.size();
        rows_.push_back(header);
        height_ += kHeaderHeight;
        const bool isFolded = folded(rank);
        for (const Lane lane : kLanes) {
            const auto before = rows_.size();
            for (const Side side : kSides) addLane(rank, lane, side, isFolded ? kThinHeight : kRowHeight, isFolded);
            if (isFolded && rows_.size() > before) break;  // the first lane that there is stands for the rank
        }
        if (rows_.size() == position + 1) {
            for (const Side side : kSides) addLane(rank, Lane::step, side, kRowHeight, false);
        }
        int stage = -1;
        for (std::size_t i = position; i < rows_.size(); ++i) stage = std::max(stage, rows_[i].stage);
        rows_[position].stage = stage;
        rows_[position].label =
            stage < 0 ? fmt::format("rank {}", rank) : fmt::format("rank {} · stage {}", rank, stage);
    }
}

const SceneRow* Scene::at(int y) const {
    if (y < 0 || y >= height_) return nullptr;
    const auto above =
        std::upper_bound(rows_.begin(), rows_.end(), y, [](int value, const SceneRow& row) { return value < row.y; });
    return above == rows_.begin() ? nullptr : &*(above - 1);
}

const SceneRow* Scene::reveal(Side which, std::uint32_t source) {
    const SceneSide& data = side(which);
    if (data.data.empty()) return nullptr;
    const Span span = data.data.timeline->span(source);
    const int rank = data.data.timeline->tracks[span.track].rank;
    for (int attempt = 0; attempt < 2; ++attempt) {
        for (const auto& row : rows_) {
            if (row.header || row.side != which || row.rank != rank) continue;
            const RowSpans& spans = data.data.index->rows()[row.index];
            if (spans.track != span.track) continue;
            auto found = std::lower_bound(spans.start.begin(), spans.start.end(), span.start) - spans.start.begin();
            for (auto i = static_cast<std::size_t>(found); i < spans.start.size() && spans.start[i] == span.start;
                 ++i) {
                if (spans.source[i] == source) return &row;
            }
        }
        if (!folded(rank)) return nullptr;
        toggle(rank);
    }
    return nullptr;
}

TimeRange Scene::extent() const {
    TimeRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const auto& side : sides_) {
        if (side.data.empty()) continue;
        const auto [begin, end] = side.data.timeline->extent();
        range.begin = std::min(range.begin, begin + side.offset);
        range.end = std::max(range.end, end + side.offset);
    }
    return range.empty() ? TimeRange{0, 1000} : range;
}

}  // namespace orrery::gui
