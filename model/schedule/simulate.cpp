#include "model/schedule/simulate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr double kNotYet = -1.0;

/// State of one run: when the inputs of tasks arrive, and how far each stage has come.
class Run {
  public:
    Run(const Schedule& schedule, const TaskTimes& times, Simulation& out)
        : schedule_(schedule),
          times_(times),
          out_(out),
          microBatches_(static_cast<std::size_t>(schedule.microBatches)),
          last_(schedule.virtualStages() - 1),
          next_(schedule.begin.begin(), schedule.begin.end() - 1),
          forwardReady_(out.forwardReady),
          backwardReady_(out.backwardReady) {
        forwardReady_.assign(microBatches_ * static_cast<std::size_t>(last_ + 1), kNotYet);
        backwardReady_.assign(microBatches_ * static_cast<std::size_t>(last_ + 2), kNotYet);
        std::fill_n(forwardReady_.begin(), microBatches_, 0.0);  // the data are there from the start
        out_.start.resize(schedule.tasks.size());
        out_.stageEnd.assign(static_cast<std::size_t>(schedule.stages), 0.0);
        std::copy(times.release.begin(), times.release.end(), out_.stageEnd.begin());
    }

    void run() {
        const int stages = schedule_.stages;
        std::vector<int> queue;
        std::vector<std::uint8_t> queued(static_cast<std::size_t>(stages), 1);
        for (int stage = stages - 1; stage >= 0; --stage) queue.push_back(stage);
        while (!queue.empty()) {
            const int stage = queue.back();
            queue.pop_back();
            queued[static_cast<std::size_t>(stage)] = 0;
            if (!advance(stage)) continue;
            for (const int neighbour : {(stage + stages - 1) % stages, (stage + 1) % stages}) {
                auto& flag = queued[static_cast<std::size_t>(neighbour)];
                if (flag != 0 || neighbour == stage) continue;
                flag = 1;
                queue.push_back(neighbour);
            }
        }
        requireFinished();
        out_.makespan = *std::max_element(out_.stageEnd.begin(), out_.stageEnd.end());
    }

  private:
    /// Inputs of virtual stage v; one row more in backward for the loss behind the last.
    [[nodiscard]] std::size_t cell(int virtualStage, std::int32_t microBatch) const {
        return static_cast<std::size_t>(virtualStage) * microBatches_ + static_cast<std::size_t>(microBatch);
    }

    /// Runs tasks of a stage until one has to wait; true when it ran any.
    bool advance(int stage) {
        const auto at = static_cast<std::size_t>(stage);
        const std::uint32_t end = schedule_.begin[at + 1];
        std::uint32_t index = next_[at];
        double now = out_.stageEnd[at];
        for (; index < end; ++index) {
            const Task task = schedule_.tasks[index];
            if (task.joined) {
                const std::uint32_t last = runJoined(stage, index, now);
                if (last == index) break;
                index = last;
                continue;
            }
            const int v = schedule_.virtualStage(stage, task.chunk);
            const double ready = readyTime(task, v);
            if (ready < 0.0) break;
            const double begin = std::max(now, ready);
            out_.start[index] = begin;
            const std::size_t row = times_.row(times_.shapeOf[static_cast<std::size_t>(task.microBatch)], v);
            now = handOn(task, v, row, begin + times_.duration[row * 3 + static_cast<std::size_t>(task.kind)]);
        }
        const bool progressed = index != next_[at];
        next_[at] = index;
        out_.stageEnd[at] = now;
        return progressed;
    }

    /// Runs the joined tasks that begin at `first` one after the other; outputs leave when all are done. Returns the
    /// last of them, or `first` while an input is missing.
    std::uint32_t runJoined(int stage, std::uint32_t first, double& now) {
        std::uint32_t last = first;
        double begin = now;
        for (bool more = true; more; ++last) {
            const Task& task = schedule_.tasks[last];
            more = task.joined;
            // The weight half stands behind its own input half.
            if (task.kind == TaskKind::backwardWeight && last > first) continue;
            const double ready = readyTime(task, schedule_.virtualStage(stage, task.chunk));
            if (ready < 0.0) return first;
            begin = std::max(begin, ready);
        }
        --last;
        double end = begin;
        for (std::uint32_t index = first; index <= last; ++index) {
            out_.start[index] = end;
            end += times_.duration[rowOf(stage, index) * 3 + static_cast<std::size_t>(schedule_.tasks[index].kind)];
        }
        now = end;
        for (std::uint32_t index = first; index <= last; ++index) {
            const Task& task = schedule_.tasks[index];
            now = std::max(now, handOn(task, schedule_.virtualStage(stage, task.chunk), rowOf(stage, index), end));
        }
        return last;
    }

    [[nodiscard]] std::size_t rowOf(int stage, std::uint32_t index) const {
        const Task& task = schedule_.tasks[index];
        return times_.row(times_.shapeOf[static_cast<std::size_t>(task.microBatch)],
                          schedule_.virtualStage(stage, task.chunk));
    }

    /// When the inputs of a task are there; negative while they are not.
    [[nodiscard]] double readyTime(const Task& task, int v) const {
        switch (task.kind) {
            case TaskKind::forward:
                return forwardReady_[cell(v, task.microBatch)];
            case TaskKind::backward:
                // The gradient from behind, which cannot exist before this stage's own forward pass.
                return backwardReady_[cell(v + 1, task.microBatch)];
            case TaskKind::backwardWeight:
                return backwardReady_[cell(v, task.microBatch)] < 0.0 ? kNotYet : 0.0;
        }
        return kNotYet;
    }

    /// Passes the output on; returns when the lane is free again.
    double handOn(const Task& task, int v, std::size_t row, double end) {
        if (task.kind == TaskKind::backwardWeight) return end;
        const bool forward = task.kind == TaskKind::forward;
        const bool sends = forward ? v < last_ : v > 0;
        const double arrival = sends ? end + times_.transfer[row * 2 + (forward ? 0 : 1)] : end;
        if (!forward) {
            backwardReady_[cell(v, task.microBatch)] = arrival;
        } else if (v < last_) {
            forwardReady_[cell(v + 1, task.microBatch)] = arrival;
        } else {
            backwardReady_[cell(v + 1, task.microBatch)] = end;  // the loss follows at once
        }
        return times_.blockingSends ? arrival : end;
    }

    void requireFinished() const {
        for (std::size_t stage = 0; stage < next_.size(); ++stage) {
            if (next_[stage] == schedule_.begin[stage + 1]) continue;
            const Task& task = schedule_.tasks[next_[stage]];
            throw InputError(fmt::format(
                "schedule: stage {} waits forever at the {} of micro-batch {}, chunk {}; move that task behind what it "
                "needs",
                stage, name(task.kind), task.microBatch, task.chunk));
        }
    }

    const Schedule& schedule_;
    const TaskTimes& times_;
    Simulation& out_;
    std::size_t microBatches_;
    int last_;
    std::vector<std::uint32_t> next_;
    std::vector<double>& forwardReady_;
    std::vector<double>& backwardReady_;
};

}  // namespace

TaskTimes TaskTimes::uniform(int stages, int microBatches, double forward, double backward, double weight) {
    TaskTimes times(stages, 1, std::vector<std::uint32_t>(static_cast<std::size_t>(microBatches), 0));
    for (int v = 0; v < stages; ++v) {
        times.of(0, v, TaskKind::forward) = forward;
        times.of(0, v, TaskKind::backward) = backward;
        times.of(0, v, TaskKind::backwardWeight) = weight;
    }
    return times;
}

Simulation simulate(const Schedule& schedule, const TaskTimes& times) {
    Simulation out;
    simulate(schedule, times, out);
    return out;
}

void simulate(const Schedule& schedule, const TaskTimes& times, Simulation& out) {
    Run(schedule, times, out).run();
}

std::vector<double> peakActivations(const Schedule& schedule, const std::vector<std::uint32_t>& shapeOf,
                                    const std::vector<double>& held) {
    std::vector<double> peaks(static_cast<std::size_t>(schedule.stages), 0.0);
    const TaskKind release = schedule.splitBackward ? TaskKind::backwardWeight : TaskKind::backward;
    const auto virtualStages = static_cast<std::size_t>(schedule.virtualStages());
    for (int stage = 0; stage < schedule.stages; ++stage) {
        double sum = 0.0;
        double& peak = peaks[static_cast<std::size_t>(stage)];
        for (const Task& task : schedule.of(stage)) {
            const std::size_t row = shapeOf[static_cast<std::size_t>(task.microBatch)] * virtualStages +
                                    static_cast<std::size_t>(schedule.virtualStage(stage, task.chunk));
            if (task.kind == TaskKind::forward) {
                sum += held[row];
                peak = std::max(peak, sum);
            } else if (task.kind == release) {
                sum -= held[row];
            }
        }
    }
    return peaks;
}

}  // namespace orrery
