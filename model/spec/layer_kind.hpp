// What a layer is made of. Most models repeat one kind; others lead with dense layers, alternate windows of attention,
// or mix state-space layers in.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/model_spec.hpp"

namespace orrery {

/// What mixes tokens: attention over all earlier tokens of the document, over a sliding window of them, or a recurrence
/// (Mamba-2, gated linear attention).
enum class Mixer : std::uint8_t { attention, window, stateSpace, none };
enum class FeedForward : std::uint8_t { dense, experts, none };

struct LayerKind {
    Mixer mixer = Mixer::attention;
    FeedForward feedForward = FeedForward::dense;

    bool operator==(const LayerKind&) const = default;
    [[nodiscard]] bool attends() const { return mixer == Mixer::attention || mixer == Mixer::window; }
    /// Norms in front of its parts.
    [[nodiscard]] int norms() const {
        return static_cast<int>(mixer != Mixer::none) + static_cast<int>(feedForward != FeedForward::none);
    }
};

/// Kind of layer `index` (0-based). Indices past the end (multi-token prediction) are of the last layer's kind.
[[nodiscard]] LayerKind layerKind(const ModelSpec& model, std::int64_t index);

/// How many layers of each kind a list of consecutive groups holds.
struct LayerMix {
    std::vector<LayerKind> kinds;  ///< distinct, in order of first appearance
    std::vector<int> counts;       ///< [group * kinds.size() + kind]

    [[nodiscard]] int of(std::size_t group, std::size_t kind) const { return counts[group * kinds.size() + kind]; }
};

/// Groups of `layers[i]` layers in model order, as ParallelPlan::stageLayers gives them.
[[nodiscard]] LayerMix layerMix(const ModelSpec& model, const std::vector<int>& layers);

}  // namespace orrery
