#include "model/ops/mlp_block.hpp"

namespace orrery {

MlpNames denseMlpNames(const ModelSpec& model) {
    return {model.gatedMlp ? "mlp_gate_up" : "mlp_up",
            "mlp_gather",
            "mlp_act",
            "mlp_down",
            "mlp_down_reduce",
            "mlp_down_gather",
            "mlp_reduce"};
}

void appendMlpForward(OpSequence& out, const LayerContext& c, const MlpNames& names, std::int64_t ffn,
                      unsigned modules) {
    const std::size_t first = out.size();
    c.appendCast(out, Pass::forward, c.hiddenElements);
    c.comm.enterColumn(out, names.gather);
    out.push_back(spared(keeping(linearForward(names.up, c.shape.tokens, c.shape.hidden, c.upWidth(ffn), c.formats),
                                 c.hiddenElements * c.operandSize()),
                         kRecomputeNorm));
    out.push_back(spared(c.activation(names.act, Pass::forward, c.elements(ffn)), modules));
    c.appendCast(out, Pass::forward, c.elements(ffn));
    out.push_back(spared(keeping(linearForward(names.down, c.shape.tokens, ffn, c.shape.hidden, c.formats),
                                 c.elements(ffn) * c.operandSize()),
                         modules));
    c.comm.leaveRow(out, names.downReduce);
    for (std::size_t i = first; i < out.size(); ++i) out[i] = repeatedBy(out[i], modules);
}

void appendMlpBackward(OpSequence& out, const LayerContext& c, const MlpNames& names, std::int64_t ffn) {
    c.comm.enterRowBackward(out, names.downGather);
    c.appendLinearBackward(out, names.down, c.shape.tokens, ffn, c.shape.hidden);
    out.push_back(c.activation(names.act, Pass::backwardInput, c.elements(ffn)));
    c.appendColumnBackward(out, names.up, c.shape.hidden, c.upWidth(ffn), names.gather, names.upReduce);
}

}  // namespace orrery
