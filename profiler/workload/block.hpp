// One transformer layer with its weights; what the backward pass needs is kept per micro-batch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "profiler/workload/attention.hpp"
#include "profiler/workload/config.hpp"
#include "profiler/workload/parameter.hpp"

namespace orrery::workload {

/// Activations of one layer and one micro-batch, from its forward to its backward pass.
struct BlockActivations {
    Matrix input, normed, qkv, attended, projected, middle, middleNormed, gateUp, activated;
    std::vector<float> inverseRms, middleInverseRms;
    AttentionSaved attention;
};

class Block {
  public:
    Block(const TransformerConfig& config, int layer, std::uint64_t seed);

    /// `x` [tokens, hidden] becomes the layer's output.
    void forward(std::span<const std::int64_t> documents, Matrix& x, BlockActivations& saved) const;
    /// `dx` holds the gradient of the output and becomes that of the input.
    void backward(std::span<const std::int64_t> documents, Matrix& dx, const BlockActivations& saved);

    void forEachParameter(const std::function<void(Parameter&)>& visit);

  private:
    TransformerConfig config_;
    int layer_;
    Parameter attentionNorm_, qkv_, attentionOut_, mlpNorm_, gateUp_, down_;
    // Work space of the backward pass, kept so that no step allocates.
    Matrix branch_, gradA_, gradB_;
};

}  // namespace orrery::workload
