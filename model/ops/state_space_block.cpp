#include "model/ops/mixer_block.hpp"

namespace orrery {
namespace {

constexpr double kGateFlops = 8.0;  // per element of the gated norm

/// Sizes of one rank: heads are divided by tensor parallelism, groups of B and C as far as they go round.
struct StateSpace {
    double tokens;
    std::int64_t inner, shared, heads;
    double chunk, state, convWidth;
    bool deltaRule;

    explicit StateSpace(const LayerContext& c) {
        const StateSpaceSpec& s = c.model.stateSpace;
        tokens = static_cast<double>(c.shape.tokens);
        heads = s.heads / c.plan.tp;
        inner = heads * s.headDim;
        shared = 2 * std::max<std::int64_t>(1, s.groups / c.plan.tp) * s.stateDim;
        chunk = static_cast<double>(s.chunk);
        state = static_cast<double>(s.stateDim);
        convWidth = static_cast<double>(s.convWidth);
        deltaRule = s.deltaRule;
    }
    [[nodiscard]] std::int64_t inWidth() const { return 2 * inner + shared + heads; }
    [[nodiscard]] double mixed() const { return tokens * static_cast<double>(inner + shared); }
    [[nodiscard]] double innerElements() const { return tokens * static_cast<double>(inner); }
    /// The state-space dual form in chunks of Q (arXiv 2405.21060, section 6): scores of a chunk 2QN a token and group,
    /// their product with the inputs 2Q a token and channel, states in and out 4N a token and channel. The delta rule
    /// solves one triangular system of Q rows a chunk for keys and values (arXiv 2412.06464, section 3.3).
    [[nodiscard]] double scanFlops() const {
        const double channels = static_cast<double>(inner);
        const double scores = 2.0 * chunk * static_cast<double>(shared) / 2.0;
        const double solve = deltaRule ? chunk * (static_cast<double>(shared) / 2.0 + channels) : 0.0;
        return tokens * (scores + 2.0 * chunk * channels + 4.0 * state * channels + solve);
    }
};

PlacedOp scan(const LayerContext& c, const StateSpace& s, Pass pass) {
    const bool forward = pass == Pass::forward;
    // Inputs and output once; states between chunks in float32, written and read.
    const double states = 8.0 * s.innerElements() * s.state / s.chunk;
    return memoryOp("ssm_scan", OpClass::elementwise, pass,
                    (forward ? 1.0 : 2.5) * ((s.mixed() + s.innerElements()) * c.formats.storageSize + states),
                    (forward ? 1.0 : 2.5) * s.scanFlops(), c.formats);
}

}  // namespace

void appendStateSpaceForward(OpSequence& out, const LayerContext& c) {
    const StateSpace s(c);
    const double size = c.formats.storageSize;
    c.appendCast(out, Pass::forward, c.hiddenElements);
    c.comm.enterColumn(out, "ssm_gather");
    out.push_back(spared(keeping(linearForward("ssm_in", c.shape.tokens, c.shape.hidden, s.inWidth(), c.formats),
                                 c.hiddenElements * c.operandSize()),
                         kRecomputeNorm));
    out.push_back(keeping(memoryOp("ssm_conv", OpClass::elementwise, Pass::forward, 2.0 * s.mixed() * size,
                                   2.0 * s.convWidth * s.mixed(), c.formats),
                          s.mixed() * size));
    out.push_back(keeping(scan(c, s, Pass::forward), (s.mixed() + s.innerElements()) * size));
    out.push_back(keeping(memoryOp("ssm_norm", OpClass::norm, Pass::forward, 3.0 * s.innerElements() * size,
                                   kGateFlops * s.innerElements(), c.formats),
                          2.0 * s.innerElements() * size));
    c.appendCast(out, Pass::forward, s.innerElements());
    out.push_back(keeping(linearForward("ssm_out", c.shape.tokens, s.inner, c.shape.hidden, c.formats),
                          s.innerElements() * c.operandSize()));
    c.comm.leaveRow(out, "ssm_out_reduce");
}

void appendStateSpaceBackward(OpSequence& out, const LayerContext& c) {
    const StateSpace s(c);
    const double size = c.formats.storageSize;
    c.comm.enterRowBackward(out, "ssm_out_gather");
    c.appendLinearBackward(out, "ssm_out", c.shape.tokens, s.inner, c.shape.hidden);
    out.push_back(memoryOp("ssm_norm", OpClass::norm, Pass::backwardInput, 5.0 * s.innerElements() * size,
                           2.0 * kGateFlops * s.innerElements(), c.formats));
    out.push_back(scan(c, s, Pass::backwardInput));
    out.push_back(memoryOp("ssm_conv", OpClass::elementwise, Pass::backwardInput, 3.0 * s.mixed() * size,
                           4.0 * s.convWidth * s.mixed(), c.formats));
    c.appendColumnBackward(out, "ssm_in", c.shape.hidden, s.inWidth(), "ssm_gather", "ssm_reduce");
}

}  // namespace orrery
