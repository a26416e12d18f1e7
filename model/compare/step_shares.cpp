#include "model/compare/step_shares.hpp"

#include <algorithm>
#include <map>

namespace orrery {
namespace {

enum class Kind : std::uint8_t { op, wait, comm, task };
constexpr std::size_t kKinds = 4;

struct Interval {
    std::int64_t start = 0, end = 0;
    Kind kind = Kind::op;
    Phase phase = Phase::other;
    OpClass cls = OpClass::other;
    bool hasOperators = false;  // of a task
};

bool isCommPhase(Phase phase) {
    return phase == Phase::pipelineComm || phase == Phase::gradReduce || phase == Phase::paramGather ||
           phase == Phase::tensorComm || phase == Phase::contextComm || phase == Phase::expertComm;
}

/// Which kind a span is; false when it does not take part (step and host rows).
bool classify(const Track& track, const Span& span, Kind& kind) {
    if (track.lane == Lane::step || track.lane == Lane::host) return false;
    if (span.phase == Phase::wait) {
        kind = Kind::wait;
    } else if (track.lane == Lane::comm || isCollective(span.cls) ||
               (track.lane == Lane::task && isCommPhase(span.phase))) {
        kind = Kind::comm;
    } else {
        kind = track.lane == Lane::task ? Kind::task : Kind::op;
    }
    return true;
}

/// Tells each task whether operators were recorded inside it. `rows` are sorted by start.
void markTasksWithOperators(std::vector<Interval>& rows) {
    std::vector<std::int64_t> opStarts;
    for (const auto& row : rows) {
        if (row.kind == Kind::op) opStarts.push_back(row.start);
    }
    for (auto& row : rows) {
        if (row.kind != Kind::task) continue;
        const auto first = std::lower_bound(opStarts.begin(), opStarts.end(), row.start);
        row.hasOperators = first != opStarts.end() && *first < row.end;
    }
}

/// What runs at an instant. Rows leave lazily: the last started one that has not ended counts.
class Active {
  public:
    void start(const Interval* row) { of(row->kind).push_back(row); }
    void leave(std::int64_t now) {
        for (auto& rows : rows_) std::erase_if(rows, [now](const Interval* row) { return row->end <= now; });
    }
    [[nodiscard]] const Interval* top(Kind kind) const {
        const auto& rows = rows_[static_cast<std::size_t>(kind)];
        return rows.empty() ? nullptr : rows.back();
    }

  private:
    std::vector<const Interval*>& of(Kind kind) { return rows_[static_cast<std::size_t>(kind)]; }
    std::array<std::vector<const Interval*>, kKinds> rows_;
};

struct Cell {
    Phase phase = Phase::other;
    std::size_t cls = static_cast<std::size_t>(OpClass::host);
};

Cell cellOf(const Active& active) {
    const auto index = [](OpClass cls) { return static_cast<std::size_t>(cls); };
    const Interval* task = active.top(Kind::task);
    if (const auto* op = active.top(Kind::op)) return {task != nullptr ? task->phase : op->phase, index(op->cls)};
    if (active.top(Kind::wait) != nullptr) return {Phase::wait, kWaitClass};
    if (const auto* comm = active.top(Kind::comm)) return {comm->phase, index(comm->cls)};
    if (task == nullptr) return {};
    if (task->hasOperators) return {task->phase, index(OpClass::host)};
    return {task->phase, index(task->phase == Phase::optimizer ? OpClass::optimizer : OpClass::other)};
}

void shareRank(std::vector<Interval>& rows, std::vector<StepShares*>& steps) {
    std::stable_sort(rows.begin(), rows.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    markTasksWithOperators(rows);
    std::vector<std::int64_t> cuts;
    for (const auto& row : rows) cuts.insert(cuts.end(), {row.start, row.end});
    for (const auto* step : steps) cuts.insert(cuts.end(), {step->window.begin, step->window.end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

    Active active;
    std::size_t nextRow = 0;
    std::size_t nextStep = 0;
    for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
        const std::int64_t from = cuts[cut];
        active.leave(from);
        while (nextRow < rows.size() && rows[nextRow].start <= from) {
            if (rows[nextRow].end > from) active.start(&rows[nextRow]);
            ++nextRow;
        }
        while (nextStep < steps.size() && steps[nextStep]->window.end <= from) ++nextStep;
        if (nextStep == steps.size()) break;
        StepShares& step = *steps[nextStep];
        if (from < step.window.begin) continue;
        const Cell cell = cellOf(active);
        step.phases[static_cast<std::size_t>(cell.phase)] += cuts[cut + 1] - from;
        step.classes[cell.cls] += cuts[cut + 1] - from;
    }
}

}  // namespace

std::string_view classRowName(std::size_t row) {
    return row == kWaitClass ? "wait" : name(static_cast<OpClass>(row));
}

std::vector<StepShares> stepShares(const Timeline& timeline) {
    std::map<int, std::vector<Interval>> rowsOf;
    for (std::size_t row = 0; row < timeline.size(); ++row) {
        const Span span = timeline.span(row);
        const Track& track = timeline.tracks[span.track];
        Interval interval{span.start, span.end(), Kind::op, span.phase, span.cls, false};
        if (classify(track, span, interval.kind)) rowsOf[track.rank].push_back(interval);
    }
    std::vector<StepShares> shares;
    for (const auto& window : stepWindows(timeline)) shares.push_back({window, {}, {}});
    std::map<int, std::vector<StepShares*>> stepsOf;
    for (auto& step : shares) stepsOf[step.window.rank].push_back(&step);
    for (auto& [rank, steps] : stepsOf) shareRank(rowsOf[rank], steps);
    return shares;
}

}  // namespace orrery
