// The shape of a transformer: what the operators' sizes follow from. No plan, no cluster, no data.
#pragma once

#include <cstdint>
#include <string>

#include "model/spec/dtype.hpp"

namespace orrery {

enum class AttentionKind : std::uint8_t { multiHead, groupedQuery, latent };
enum class NormKind : std::uint8_t { layerNorm, rmsNorm };

/// Routed experts of a mixture-of-experts model; `experts == 0` means a dense model.
struct MoeSpec {
    std::int64_t experts = 0;      ///< routed experts a layer
    std::int64_t topK = 0;         ///< experts that each token visits
    std::int64_t ffnHidden = 0;    ///< width of one expert
    std::int64_t sharedFfn = 0;    ///< total width of the shared experts; 0 for none
    std::int64_t denseLayers = 0;  ///< leading layers with a plain MLP
    std::int64_t everyLayers = 1;  ///< after those, one layer of so many has experts
    double capacityFactor = 0.0;   ///< tokens an expert takes over the mean, padded to that; 0: dropless
    double loadImbalance = 1.0;    ///< tokens of the fullest expert-parallel rank over the mean (dropless)
};

/// Low-rank attention of DeepSeek-V2/V3 (arXiv 2405.04434, section 2.1); used when attention == latent.
struct LatentAttentionSpec {
    std::int64_t queryRank = 0;  ///< 0: queries are not compressed
    std::int64_t kvRank = 0;
    std::int64_t ropeHeadDim = 0;   ///< rotary part of each head, beside ModelSpec::headDim
    std::int64_t valueHeadDim = 0;  ///< size of a value head
};

/// Mamba-2 (arXiv 2405.21060) or gated linear attention in chunks; used by layers whose mixer is a state space.
struct StateSpaceSpec {
    std::int64_t heads = 0;
    std::int64_t headDim = 0;   ///< channels of a head (P); inner width = heads x headDim
    std::int64_t stateDim = 0;  ///< of each channel (N); size of a key in linear attention
    std::int64_t groups = 1;    ///< groups of heads that share B and C (queries and keys)
    std::int64_t convWidth = 4;
    std::int64_t chunk = 256;  ///< tokens computed together as a small attention
    bool deltaRule = false;    ///< gated DeltaNet (arXiv 2412.06464): each chunk solves a triangular system
};

/// A decoder-only transformer. Sizes are whole-model counts before any parallelism.
struct ModelSpec {
    std::string name;
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;    ///< = heads for multi-head attention
    std::int64_t headDim = 0;    ///< size of one head (for latent attention: the non-rotary part)
    std::int64_t ffnHidden = 0;  ///< MLP width, of one matrix
    bool gatedMlp = false;       ///< SwiGLU/GeGLU: three matrices instead of two
    std::int64_t vocab = 0;
    bool tiedEmbeddings = false;    ///< output layer shares the embedding's weights
    bool biases = false;            ///< linear layers carry biases (GPT-2/3)
    bool learnedPositions = false;  ///< learned position embedding of `maxPositions` rows (GPT-2/3); otherwise rotary
    std::int64_t maxPositions = 0;
    NormKind norm = NormKind::rmsNorm;
    bool dropout = false;  ///< dropout masks are kept for the backward pass (GPT-2/3 pre-training)
    AttentionKind attention = AttentionKind::multiHead;
    LatentAttentionSpec latent;
    MoeSpec moe;
    std::int64_t mtpLayers = 0;           ///< multi-token-prediction layers beside the main stack
    std::int64_t slidingWindow = 0;       ///< tokens that a windowed layer attends to; 0: no layer has a window
    std::int64_t fullAttentionEvery = 0;  ///< with a window: each so-manyth layer attends to all; 0: none does
    /// Kinds of layers, repeated to the depth: M state space, * attention, - MLP, E experts (Megatron-LM's letters), L
    /// attention with feed-forward, S state space with feed-forward; empty: L throughout.
    std::string layerPattern;
    StateSpaceSpec stateSpace;
};

/// Parameters of the whole model (embedding, layers, norms, output layer unless tied).
[[nodiscard]] double parameterCount(const ModelSpec& model);

/// Throws InputError that names the field when a size is not positive or sizes do not fit each other.
void validate(const ModelSpec& model);

}  // namespace orrery
