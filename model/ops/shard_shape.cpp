#include "model/ops/shard_shape.hpp"

#include <algorithm>

namespace orrery {
namespace {

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

std::vector<DocumentRun> runsOf(const MicroBatch& microBatch) {
    std::vector<std::int64_t> lengths = microBatch.documents;
    std::sort(lengths.begin(), lengths.end());
    std::vector<DocumentRun> runs;
    for (const std::int64_t length : lengths) {
        if (runs.empty() || runs.back().length != length) runs.push_back({length, 0});
        ++runs.back().count;
    }
    return runs;
}

}  // namespace

ShardShape shardShape(const ModelSpec& model, const ParallelPlan& plan, const MicroBatch& microBatch) {
    ShardShape shape;
    shape.tokens = ceilDiv(microBatch.tokens(), plan.cp);
    shape.shardTokens = static_cast<double>(shape.tokens) / sequenceShards(plan);
    shape.pairs = microBatch.causalPairs() / plan.cp;
    shape.runs = runsOf(microBatch);
    shape.longest = shape.runs.empty() ? 0 : shape.runs.back().length;
    shape.hidden = model.hidden;
    shape.heads = model.heads / plan.tp;
    shape.kvHeads = std::max<std::int64_t>(1, model.kvHeads / plan.tp);
    shape.headDim = model.headDim;
    shape.ffn = model.ffnHidden / plan.tp;
    shape.vocab = ceilDiv(model.vocab, plan.tp);
    return shape;
}

}  // namespace orrery
