#include "gui/timeline/row_index.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace orrery::gui {
namespace {

/// Rows of one track under construction: the end of the last span of every depth.
struct OpenDepths {
    std::vector<std::int64_t> ends;
    std::vector<std::size_t> rows;
};

/// First position from `index` on whose value is not below `limit`; doubles its stride, so near answers stay in cache.
std::size_t firstFrom(const std::vector<std::int64_t>& values, std::size_t index, std::int64_t limit) {
    std::size_t stride = 1;
    std::size_t low = index;
    while (low + stride < values.size() && values[low + stride] < limit) {
        low += stride;
        stride *= 2;
    }
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(low + stride + 1, values.size()));
    return static_cast<std::size_t>(std::lower_bound(begin, end, limit) - values.begin());
}

void addLevels(RowSpans& row) {
    using Block = RowSpans::Block;
    std::vector<Block> level;
    const auto join = [&level](const Block& next, bool isFirst) {
        if (isFirst) return level.push_back(next);
        level.back().end = next.end;
        if (next.longestDuration <= level.back().longestDuration) return;
        level.back().longestDuration = next.longestDuration;
        level.back().longest = next.longest;
    };
    for (std::size_t i = 0; i < row.start.size(); ++i) {
        const Block one{row.start[i], row.end[i], row.end[i] - row.start[i], static_cast<std::uint32_t>(i)};
        join(one, i % RowSpans::kBlock == 0);
    }
    while (level.size() >= RowSpans::kBlock) {
        row.levels.push_back(std::move(level));
        level.clear();
        const auto& below = row.levels.back();
        for (std::size_t i = 0; i < below.size(); ++i) join(below[i], i % RowSpans::kBlock == 0);
    }
}

/// From `index` on, the blocks that fit into half a pixel and begin before `limit`, joined to one mark; nothing when
/// the block at `index` is larger. Moves `index` behind them.
std::optional<VisibleSpan> joinedBlocks(const RowSpans& row, std::size_t& index, std::int64_t limit,
                                        std::int64_t resolution) {
    const auto blockAt = [&](std::size_t level, std::size_t size) -> const RowSpans::Block* {
        if (level >= row.levels.size() || index % size != 0 || index / size >= row.levels[level].size()) return nullptr;
        const RowSpans::Block& block = row.levels[level][index / size];
        return block.end - block.start < resolution / 2 ? &block : nullptr;
    };
    const std::size_t first = index;
    const RowSpans::Block* longest = nullptr;
    std::int64_t end = 0;
    while (index < row.start.size()) {
        std::size_t size = RowSpans::kBlock;
        const RowSpans::Block* block = blockAt(0, size);
        if (block == nullptr || block->start >= limit) break;
        for (std::size_t level = 1; const auto* larger = blockAt(level, size * RowSpans::kBlock); ++level) {
            block = larger;
            size *= RowSpans::kBlock;
        }
        if (longest == nullptr || block->longestDuration > longest->longestDuration) longest = block;
        end = block->end;
        index = std::min(index + size, row.start.size());
    }
    if (longest == nullptr) return std::nullopt;
    const std::size_t i = longest->longest;
    return VisibleSpan{row.start[first], std::max(end, limit), row.source[i],
                       row.phase[i],     row.cls[i],           static_cast<std::uint32_t>(index - first)};
}

}  // namespace

RowIndex::RowIndex(const Timeline& timeline) {
    const auto before = [](const Span& left, const Span& right) {
        return std::tuple(left.track, left.start, right.duration) < std::tuple(right.track, right.start, left.duration);
    };
    std::vector<std::uint32_t> order;  // stays empty when the timeline is sorted, as those of data/ and model/ are
    for (std::size_t row = 1; row < timeline.size() && order.empty(); ++row) {
        if (before(timeline.span(row), timeline.span(row - 1))) order.resize(timeline.size());
    }
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return before(timeline.span(a), timeline.span(b)); });

    OpenDepths open;
    std::int64_t track = -1;
    for (std::size_t position = 0; position < timeline.size(); ++position) {
        const auto source = order.empty() ? static_cast<std::uint32_t>(position) : order[position];
        const Span span = timeline.span(source);
        if (track != span.track) {
            track = span.track;
            open = {};
        }
        // The lowest depth whose last span has ended takes the next one: nesting and overlap both move it down.
        std::size_t depth = 0;
        while (depth < open.ends.size() && open.ends[depth] > span.start) ++depth;
        if (depth == open.ends.size()) {
            open.ends.push_back(0);
            open.rows.push_back(rows_.size());
            rows_.push_back({span.track, static_cast<int>(depth), {}, {}, {}, {}, {}, {}});
        }
        open.ends[depth] = span.end();
        RowSpans& row = rows_[open.rows[depth]];
        row.start.push_back(span.start);
        row.end.push_back(span.end());
        row.source.push_back(source);
        row.phase.push_back(span.phase);
        row.cls.push_back(span.cls);
    }
    for (auto& row : rows_) addLevels(row);
}

void RowIndex::visible(std::size_t rowNumber, std::int64_t from, std::int64_t to, std::int64_t resolution,
                       std::vector<VisibleSpan>& out) const {
    out.clear();
    const RowSpans& row = rows_[rowNumber];
    resolution = std::max<std::int64_t>(resolution, 1);
    auto index = static_cast<std::size_t>(std::upper_bound(row.end.begin(), row.end.end(), from) - row.end.begin());
    while (index < row.start.size() && row.start[index] < to) {
        const std::int64_t start = row.start[index];
        if (row.end[index] - start >= resolution) {
            out.push_back({start, row.end[index], row.source[index], row.phase[index], row.cls[index], 1});
            ++index;
            continue;
        }
        if (const auto mark = joinedBlocks(row, index, start + resolution, resolution)) {
            out.push_back(*mark);
            continue;
        }
        // Everything that starts within this pixel and is shorter than it becomes one mark; a long span ends the run.
        const std::int64_t limit = start + resolution;
        std::size_t last = firstFrom(row.start, index, limit);
        if (last - index > 1 && row.end[last - 1] - row.start[last - 1] >= resolution) --last;
        if (last - index > RowSpans::kBlock) last -= last % RowSpans::kBlock;  // then it goes on block by block
        // The longest of the run gives the colour; a sample is enough when the run is long.
        const std::size_t stride = std::max<std::size_t>(1, (last - index) / 8);
        std::size_t longest = index;
        for (std::size_t i = index; i < last; i += stride) {
            if (row.end[i] - row.start[i] > row.end[longest] - row.start[longest]) longest = i;
        }
        out.push_back({start, std::max(row.end[last - 1], limit), row.source[longest], row.phase[longest],
                       row.cls[longest], static_cast<std::uint32_t>(last - index)});
        index = last;
    }
}

std::int64_t RowIndex::at(std::size_t rowNumber, std::int64_t time, std::int64_t tolerance) const {
    const RowSpans& row = rows_[rowNumber];
    const auto first = std::upper_bound(row.end.begin(), row.end.end(), time - tolerance) - row.end.begin();
    std::int64_t nearest = -1;
    std::int64_t distance = tolerance;
    for (auto i = static_cast<std::size_t>(first); i < row.start.size() && row.start[i] <= time + tolerance; ++i) {
        const std::int64_t away = std::max<std::int64_t>({row.start[i] - time, time - row.end[i], 0});
        if (away <= distance) {
            nearest = row.source[i];
            distance = away;
        }
        if (row.start[i] >= time) break;
    }
    return nearest;
}

}  // namespace orrery::gui
