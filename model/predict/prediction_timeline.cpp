#include "model/predict/prediction_timeline.hpp"

#include <array>
#include <cmath>

#include "model/ops/edge_ops.hpp"
#include "model/ops/layer_ops.hpp"
#include "model/timeline/waits.hpp"

namespace orrery {
namespace {

std::int64_t ns(double seconds) {
    return std::llround(seconds * 1e9);
}

/// Operators of the tasks of one micro-batch shape.
struct LayerOps {
    std::vector<TimedOp> forward, recompute, backward, weight;
};
struct ShapeOps {
    std::vector<LayerOps> layers;  ///< per kind
    std::vector<TimedOp> embeddingForward, embeddingBackward, headForward, headBackward, headWeight;
};

class Drawing {
  public:
    Drawing(const SimulatedStep& step, bool operatorSpans) : step_(step), operators_(operatorSpans) {
        if (operators_) timeShapes();
    }

    Timeline draw() {
        for (std::size_t replica = 0; replica < step_.runs.kindOf.size(); ++replica) {
            const ReplicaRun& run = step_.runs.kinds[step_.runs.kindOf[replica]];
            for (int stage = 0; stage < step_.plan.pp; ++stage) {
                openTracks(static_cast<int>(replica), stage);
                drawTasks(run, stage);
                drawEnd(run, stage);
            }
        }
        markGapsAsWaits(out_);
        nameWaits(out_);
        out_.sort();
        return std::move(out_);
    }

  private:
    void timeShapes() {
        const bool split = step_.runs.layout.splitBackward;
        const Half first = split ? Half::input : Half::both;
        for (const MicroBatch* microBatch : step_.index.shapes) {
            const ShardShape shape = shardShape(step_.model, step_.plan, *microBatch);
            const auto time = [&](const OpSequence& ops, Half half, std::vector<TimedOp>& into) {
                (void)costOf(ops, step_.cost, step_.groups, half, false, &into);
            };
            ShapeOps ops;
            for (const LayerKind& kind : step_.costs.mix().kinds) {
                LayerOps& layer = ops.layers.emplace_back();
                time(layerForward(step_.model, step_.plan, shape, kind), Half::both, layer.forward);
                time(layerRecompute(step_.model, step_.plan, shape, kind), Half::both, layer.recompute);
                const OpSequence backward = layerBackward(step_.model, step_.plan, shape, kind);
                time(backward, first, layer.backward);
                if (split) time(backward, Half::weight, layer.weight);
            }
            time(embeddingForward(step_.model, step_.plan, shape), Half::both, ops.embeddingForward);
            time(embeddingBackward(step_.model, step_.plan, shape), Half::both, ops.embeddingBackward);
            time(headForward(step_.model, step_.plan, shape), Half::both, ops.headForward);
            time(headBackward(step_.model, step_.plan, shape), first, ops.headBackward);
            if (split) {
                time(headBackward(step_.model, step_.plan, shape), Half::weight, ops.headWeight);
            }
            shapeOps_.push_back(std::move(ops));
        }
    }

    void openTracks(int replica, int stage) {
        stage_ = stage;
        replica_ = replica;
        const int rank = firstRank(step_.plan, replica, stage);
        for (const Lane lane : {Lane::step, Lane::task, Lane::op, Lane::comm}) {
            if (lane == Lane::op && !operators_) continue;
            Track track;
            track.rank = rank;
            track.lane = lane;
            track.stage = stage;
            track_[static_cast<std::size_t>(lane)] = out_.addTrack(std::move(track));
        }
        add(Lane::step, Phase::step, OpClass::other, "step 0", -1, 0.0, step_.endTimes.step);
    }

    void add(Lane lane, Phase phase, OpClass cls, std::string_view name, int microBatch, double begin, double end) {
        const std::int64_t from = ns(begin);
        const std::int64_t to = ns(end);
        if (to <= from) return;
        Span span;
        span.track = track_[static_cast<std::size_t>(lane)];
        span.start = from;
        span.duration = to - from;
        span.phase = phase;
        span.cls = cls;
        span.name = out_.names.intern(name);
        span.microBatch = microBatch;
        span.step = 0;
        span.stage = static_cast<std::int16_t>(stage_);
        span.bytes = std::llround(bytes_);
        span.peer = peer_;
        out_.add(span);
    }

    static double durationOf(const ReplicaRun& run, const Schedule& schedule, int stage, const Task& task) {
        return run.times.of(run.times.shapeOf[static_cast<std::size_t>(task.microBatch)],
                            schedule.virtualStage(stage, task.chunk), task.kind);
    }

    void drawTasks(const ReplicaRun& run, int stage) {
        const Schedule& schedule = *run.schedule;
        const double speed = run.speed.empty() ? 1.0 : run.speed[static_cast<std::size_t>(stage)];
        const std::size_t first = schedule.begin[static_cast<std::size_t>(stage)];
        const auto tasks = schedule.of(stage);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const Task& task = tasks[i];
            const int v = schedule.virtualStage(stage, task.chunk);
            const std::uint32_t shape = run.times.shapeOf[static_cast<std::size_t>(task.microBatch)];
            const double begin = run.simulation.start[first + i];
            const double end = begin + run.times.of(shape, v, task.kind);
            drawTask(task, shape, v, begin, end, speed);
            std::size_t last = i;  // of the tasks that this one runs as one with
            while (tasks[last].joined) ++last;
            const double leaves =
                last == i ? end : run.simulation.start[first + last] + durationOf(run, schedule, stage, tasks[last]);
            drawSend(run, task, shape, v, leaves);
        }
    }

    void drawTask(const Task& task, std::uint32_t shape, int v, double begin, double end, double speed) {
        double at = begin;
        const bool first = v == 0;
        const bool last = v + 1 == static_cast<int>(step_.costs.layers().size());
        const ShapeOps* ops = operators_ ? &shapeOps_[shape] : nullptr;
        if (task.kind == TaskKind::forward) {
            add(Lane::task, Phase::forward, OpClass::other, "forward", task.microBatch, begin, end);
            if (ops == nullptr) return;
            if (first) at = drawOps(ops->embeddingForward, Phase::forward, task, at, speed);
            at = drawLayers(*ops, &LayerOps::forward, Phase::forward, task, v, at, speed);
            if (last) drawOps(ops->headForward, Phase::forward, task, at, speed);
        } else if (task.kind == TaskKind::backward) {
            const double again = step_.costs.recompute(shape, v) / speed;
            add(Lane::task, Phase::recompute, OpClass::other, "recompute", task.microBatch, begin, begin + again);
            add(Lane::task, Phase::backward, OpClass::other, "backward", task.microBatch, begin + again, end);
            if (ops == nullptr) return;
            at = drawLayers(*ops, &LayerOps::recompute, Phase::recompute, task, v, at, speed);
            if (last) at = drawOps(ops->headBackward, Phase::backward, task, at, speed);
            at = drawLayers(*ops, &LayerOps::backward, Phase::backward, task, v, at, speed);
            if (first) drawOps(ops->embeddingBackward, Phase::backward, task, at, speed);
        } else {
            add(Lane::task, Phase::backwardWeight, OpClass::other, "backward_weight", task.microBatch, begin, end);
            if (ops == nullptr) return;
            if (last) at = drawOps(ops->headWeight, Phase::backwardWeight, task, at, speed);
            drawLayers(*ops, &LayerOps::weight, Phase::backwardWeight, task, v, at, speed);
        }
    }

    /// The layers of a virtual stage, kind by kind.
    double drawLayers(const ShapeOps& ops, std::vector<TimedOp> LayerOps::*part, Phase phase, const Task& task, int v,
                      double at, double speed) {
        for (std::size_t kind = 0; kind < ops.layers.size(); ++kind) {
            const int layers = phase == Phase::recompute ? step_.costs.recomputed(v, kind)
                                                         : step_.costs.mix().of(static_cast<std::size_t>(v), kind);
            for (int i = 0; i < layers; ++i) at = drawOps(ops.layers[kind].*part, phase, task, at, speed);
        }
        return at;
    }

    /// Lays operators one after the other; returns where the next one begins.
    double drawOps(const std::vector<TimedOp>& ops, Phase phase, const Task& task, double at, double speed) {
        for (const TimedOp& op : ops) {
            const bool comm = isCollective(op.cls);
            const double end = at + (comm ? op.seconds : op.seconds / speed);
            add(comm ? Lane::comm : Lane::op, comm ? Phase::tensorComm : phase, op.cls, op.name, task.microBatch, at,
                end);
            at = end;
        }
        return at;
    }

    void drawSend(const ReplicaRun& run, const Task& task, std::uint32_t shape, int v, double end) {
        if (task.kind == TaskKind::backwardWeight) return;
        const Schedule& schedule = *run.schedule;
        const bool forward = task.kind == TaskKind::forward;
        const double time = run.times.transfer[run.times.row(shape, v) * 2 + (forward ? 0 : 1)];
        const int next = v + (forward ? 1 : -1);
        if (next < 0 || next >= schedule.virtualStages()) return;
        // A tensor-parallel rank sends its share, as the cost of the transfer takes it.
        bytes_ = step_.costs.shape(shape).transferBytes * sequenceShards(step_.plan) / step_.plan.tp;
        peer_ = firstRank(step_.plan, replica_, schedule.stageOf(next));
        add(Lane::comm, Phase::pipelineComm, OpClass::sendRecv, forward ? "send_forward" : "send_backward",
            task.microBatch, end, end + time);
        bytes_ = -1;
        peer_ = -1;
    }

    void drawEnd(const ReplicaRun& run, int stage) {
        const auto s = static_cast<std::size_t>(stage);
        const StageEndCosts& end = step_.ends[s];
        const StepEndTimes& times = step_.endTimes;
        const double reduced = times.reduced[s] - end.embeddingReduce;
        bytes_ = end.reduceBytes;
        add(Lane::comm, Phase::gradReduce, end.reduceKind, "grad_reduce", -1, reduced - end.reduce, reduced);
        bytes_ = -1;
        add(Lane::comm, Phase::gradReduce, OpClass::allReduce, "embedding_grad_reduce", -1,
            times.reduced[s] - end.embeddingReduce, times.reduced[s]);
        add(Lane::task, Phase::optimizer, OpClass::optimizer, "grad_norm", -1, times.reduced[s], times.normed[s]);
        bytes_ = 4;
        add(Lane::comm, Phase::gradReduce, OpClass::allReduce, "grad_norm_reduce", -1,
            times.updateBegin[s] - end.normReduce, times.updateBegin[s]);
        bytes_ = -1;
        add(Lane::task, Phase::optimizer, OpClass::optimizer, "optimizer", -1, times.updateBegin[s], times.updated[s]);
        if (operators_) {
            add(Lane::op, Phase::optimizer, OpClass::optimizer, "optimizer", -1, times.updateBegin[s],
                times.updateBegin[s] + end.optimizer);
        }
        bytes_ = end.gatherBytes > 0.0 ? end.gatherBytes : -1;
        add(Lane::comm, Phase::paramGather, OpClass::allGather, "param_gather", -1, times.updated[s],
            times.gathered[s]);
        bytes_ = -1;
        if (!run.times.release.empty())
            add(Lane::comm, Phase::paramGather, OpClass::allGather, "param_gather", -1, 0.0, run.times.release[s]);
    }

    const SimulatedStep& step_;
    bool operators_;
    int stage_ = 0, replica_ = 0;
    double bytes_ = -1;  ///< of the communication that is drawn next
    int peer_ = -1;
    Timeline out_;
    std::array<std::uint32_t, 7> track_{};
    std::vector<ShapeOps> shapeOps_;
};

}  // namespace

Timeline drawStep(const SimulatedStep& step, bool operatorSpans) {
    return Drawing(step, operatorSpans).draw();
}

}  // namespace orrery
