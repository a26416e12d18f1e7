// Parameters of the parts of a transformer, split into what tensor parallelism divides and what every rank repeats.
#pragma once

#include "model/spec/layer_kind.hpp"
#include "model/spec/model_spec.hpp"

namespace orrery {

/// Number of parameters. `divided` is spread over the tensor-parallel ranks; `repeated` (norms, biases of row-parallel
/// layers, router, low-rank down-projections) is on each of them, as in Megatron (arXiv 1909.08053, section 3);
/// `experts` are spread over expert- and expert-tensor-parallel ranks.
struct ParameterCount {
    double divided = 0.0;
    double repeated = 0.0;
    double experts = 0.0;

    [[nodiscard]] double total() const { return divided + repeated + experts; }
    /// Parameters outside of experts that one of `tp` ranks holds.
    [[nodiscard]] double perRank(int tp) const { return divided / tp + repeated; }

    ParameterCount& operator+=(const ParameterCount& other) {
        divided += other.divided;
        repeated += other.repeated;
        experts += other.experts;
        return *this;
    }
    friend ParameterCount operator+(ParameterCount a, const ParameterCount& b) { return a += b; }
    friend ParameterCount operator*(double factor, const ParameterCount& a) {
        return {factor * a.divided, factor * a.repeated, factor * a.experts};
    }
};

[[nodiscard]] ParameterCount normParameters(const ModelSpec& model);
[[nodiscard]] ParameterCount attentionParameters(const ModelSpec& model);
/// The plain MLP of `ffnHidden` columns.
[[nodiscard]] ParameterCount mlpParameters(const ModelSpec& model, std::int64_t ffnHidden);
/// Routed experts of one layer without router and shared experts.
[[nodiscard]] ParameterCount expertParameters(const ModelSpec& model);
/// In-projection, short convolution, decay and skip terms, gated norm and out-projection of a state-space mixer.
[[nodiscard]] ParameterCount stateSpaceParameters(const ModelSpec& model);
/// A layer of a kind: norms, mixer, and MLP or router with experts.
[[nodiscard]] ParameterCount layerParameters(const ModelSpec& model, const LayerKind& kind);
/// A multi-token-prediction layer beside its share of embedding and head: two norms and a projection of 2h to h
/// before a layer of the last kind (DeepSeek-V3, arXiv 2412.19437, section 2.2).
[[nodiscard]] ParameterCount mtpParameters(const ModelSpec& model);
/// Token embedding and learned positions.
[[nodiscard]] ParameterCount embeddingParameters(const ModelSpec& model);
/// Final norm and output matrix. The matrix counts also when it is tied: a pipeline's last stage holds its copy.
[[nodiscard]] ParameterCount headParameters(const ModelSpec& model);

}  // namespace orrery
