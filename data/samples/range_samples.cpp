#include "data/samples/range_samples.hpp"

#include <algorithm>
#include <utility>

namespace orrery::profile_samples {
namespace {

bool startsWith(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

/// The enumerations travel as numbers; a number outside them is not ours.
template <typename Enum>
std::optional<Enum> enumerator(std::optional<std::int64_t> value, Enum last) {
    if (!value || *value < 0 || *value > static_cast<std::int64_t>(last)) return std::nullopt;
    return static_cast<Enum>(*value);
}

std::optional<Op> operatorOf(const RangeView& range, DType dtype) {
    Op op;
    op.dtype = dtype;
    const auto pass = enumerator(range.integer("pass"), Pass::optimizer);
    if (!pass) return std::nullopt;
    op.pass = *pass;
    op.bytes = Bytes(static_cast<double>(range.integer("bytes").value_or(0)));
    op.flops = Flops(static_cast<double>(range.integer("flops").value_or(0)));
    if (range.schema == "orrery.gemm") {
        op.m = range.integer("m").value_or(0);
        op.n = range.integer("n").value_or(0);
        op.k = range.integer("k").value_or(0);
        op.groups = range.integer("groups").value_or(1);
        op.cls = op.groups > 1 ? OpClass::groupedGemm : OpClass::gemm;
        if (op.m <= 0 || op.n <= 0 || op.k <= 0 || op.groups <= 0) return std::nullopt;
    } else if (range.schema == "orrery.attention") {
        op.cls = OpClass::attention;
        op.tokens = range.integer("tokens").value_or(0);
        op.pairs = range.real("pairs").value_or(0.0);
        op.longestDocument = static_cast<double>(range.integer("longest").value_or(0));
        op.heads = range.integer("heads").value_or(0);
        op.kvHeads = range.integer("kv_heads").value_or(0);
        op.headDim = range.integer("head_dim").value_or(0);
        op.valueHeadDim = range.integer("value_head_dim").value_or(op.headDim);
        if (op.tokens <= 0 || op.pairs <= 0.0 || op.heads <= 0 || op.headDim <= 0) return std::nullopt;
    } else if (range.schema == "orrery.memory") {
        const auto cls = enumerator(range.integer("class"), OpClass::other);
        if (!cls || op.bytes.value() <= 0.0) return std::nullopt;
        op.cls = *cls;
    } else {
        return std::nullopt;
    }
    return op;
}

}  // namespace

RangeCollector::RangeCollector(const SampleOptions& options, std::int64_t firstStep, std::string source,
                               std::map<std::int64_t, RankInfo> ranks)
    : options_(options), firstStep_(firstStep), source_(std::move(source)), ranks_(std::move(ranks)) {}

void RangeCollector::enterRank(std::int64_t rankId) {
    finish();
    rankId_ = rankId;
    stepEnd_ = -1;
    step_ = -1;
}

void RangeCollector::finish() {
    while (!tasks_.empty()) closeTask(tasks_.begin()->first);
}

bool RangeCollector::inKeptStep(const RangeView& range) const {
    // Ranges outside any step (a program that marks no steps) are kept when no step is known at all.
    if (firstStep_ < 0) return true;
    return range.start < stepEnd_ && step_ >= firstStep_;
}

void RangeCollector::add(const RangeView& range) {
    if (range.domain != "orrery") return;
    if (range.rankId != rankId_) enterRank(range.rankId);
    if (!range.duration) {
        skip("range still open at the end of the record");
        return;
    }
    if (range.schema == "orrery.step") {
        step_ = range.integer("step").value_or(-1);
        stepEnd_ = range.start + *range.duration;
    } else if (range.schema == "orrery.task") {
        beginTask(range);
    } else if (range.schema == "orrery.comm") {
        addComm(range);
    } else if (!range.schema.empty() && range.schema != "orrery.layer") {
        addOperator(range);
    }
}

void RangeCollector::beginTask(const RangeView& range) {
    if (tasks_.contains(range.thread)) closeTask(range.thread);
    if (!inKeptStep(range)) return;
    tasks_[range.thread] = Task{range.start + *range.duration, *range.duration, 0, range.start, 0};
}

void RangeCollector::closeTask(std::int64_t thread) {
    const Task task = tasks_.at(thread);
    tasks_.erase(thread);
    if (task.operators == 0) return;
    HostGapSample sample;
    sample.device = options_.device;
    sample.operators = task.operators;
    sample.gap = fromNanoseconds(std::max<std::int64_t>(0, task.duration - task.covered));
    result.samples.hostGaps.push_back(sample);
}

void RangeCollector::cover(const RangeView& range, bool isOperator) {
    const auto found = tasks_.find(range.thread);
    if (found == tasks_.end() || range.start >= found->second.end) return;
    Task& task = found->second;
    const std::int64_t end = std::min(range.start + *range.duration, task.end);
    task.covered += std::max<std::int64_t>(0, end - std::max(range.start, task.coveredUntil));
    task.coveredUntil = std::max(task.coveredUntil, end);
    if (isOperator) ++task.operators;
}

void RangeCollector::addOperator(const RangeView& range) {
    if (!inKeptStep(range)) {
        skip("warm-up step");
        return;
    }
    const std::optional<Op> op = operatorOf(range, options_.dtype);
    if (!op) {
        skip("operator with a payload that names no shape");
        return;
    }
    cover(range, true);
    if (*range.duration <= 0) {
        skip("operator of 0 ns");
        return;
    }
    KernelSample sample;
    sample.device = options_.device;
    sample.op = *op;
    sample.opName = range.name;
    sample.time = fromNanoseconds(*range.duration);
    sample.source = source_;
    result.samples.kernels.push_back(std::move(sample));
    kernelSteps.push_back(step_);
}

void RangeCollector::addComm(const RangeView& range) {
    cover(range, false);
    CommRange comm;
    const auto cls = enumerator(range.integer("class"), OpClass::other);
    if (!cls || !isCollective(*cls)) {
        skip("comm range without a collective's class");
        return;
    }
    comm.cls = *cls;
    comm.step = range.integer("step").value_or(step_);
    if (firstStep_ >= 0 && comm.step < firstStep_) {
        skip("warm-up step");
        return;
    }
    const RankInfo& rank = ranks_.at(range.rankId);
    comm.rank = rank.rank.value_or(rank.id);
    comm.isSend = startsWith(range.name, "send");
    comm.bytes = range.integer("bytes").value_or(0);
    comm.groupSize = range.integer("group_size").value_or(0);
    comm.peer = range.integer("peer").value_or(-1);
    comm.sequence = range.integer("sequence").value_or(-1);
    comm.microBatch = range.integer("micro_batch").value_or(-1);
    comm.phase = range.integer("phase").value_or(-1);
    comm.start = range.start + rank.clockOffset;
    comm.end = comm.start + *range.duration;
    comms.push_back(comm);
}

}  // namespace orrery::profile_samples
