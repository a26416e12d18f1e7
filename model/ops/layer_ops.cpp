#include "model/ops/layer_ops.hpp"

#include "model/ops/layer_context.hpp"
#include "model/ops/mixer_block.hpp"
#include "model/ops/mlp_block.hpp"

namespace orrery {

OpSequence layerForward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                        const LayerKind& kind) {
    const LayerContext c(model, plan, shape);
    OpSequence out;
    out.reserve(40);
    if (kind.mixer != Mixer::none) {
        out.push_back(c.norm("attention_norm", Pass::forward));
        if (kind.attends()) {
            appendAttentionBlockForward(out, c, kind.mixer == Mixer::window);
        } else {
            appendStateSpaceForward(out, c);
        }
        out.push_back(c.residual(Pass::forward));
    }
    if (kind.feedForward != FeedForward::none) {
        out.push_back(c.norm("mlp_norm", Pass::forward));
        if (kind.feedForward == FeedForward::experts) {
            appendExpertsForward(out, c);
        } else {
            appendMlpForward(out, c, denseMlpNames(model), shape.ffn, kRecomputeMlp);
        }
        out.push_back(c.residual(Pass::forward));
    }
    return out;
}

OpSequence layerBackward(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                         const LayerKind& kind) {
    const LayerContext c(model, plan, shape);
    OpSequence out;
    out.reserve(56);
    if (kind.feedForward != FeedForward::none) {
        out.push_back(c.residual(Pass::backwardInput));
        if (kind.feedForward == FeedForward::experts) {
            appendExpertsBackward(out, c);
        } else {
            appendMlpBackward(out, c, denseMlpNames(model), shape.ffn);
        }
        out.push_back(c.norm("mlp_norm", Pass::backwardInput));
    }
    if (kind.mixer != Mixer::none) {
        out.push_back(c.residual(Pass::backwardInput));
        if (kind.attends()) {
            appendAttentionBlockBackward(out, c, kind.mixer == Mixer::window);
        } else {
            appendStateSpaceBackward(out, c);
        }
        out.push_back(c.norm("attention_norm", Pass::backwardInput));
    }
    return out;
}

OpSequence layerRecompute(const ModelSpec& model, const ParallelPlan& plan, const ShardShape& shape,
                          const LayerKind& kind) {
    if (plan.recompute == Recompute::none) return {};
    OpSequence out = layerForward(model, plan, shape, kind);
    if (plan.recompute == Recompute::selective) {
        std::erase_if(out, [&](const PlacedOp& op) { return (op.modules & plan.recomputeModules) == 0; });
    }
    return out;
}

}  // namespace orrery
