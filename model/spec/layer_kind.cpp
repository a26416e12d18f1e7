#include "model/spec/layer_kind.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Letters of Megatron-LM's --hybrid-override-pattern, and L for a transformer layer of attention and feed-forward.
LayerKind kindOfLetter(char letter, bool experts) {
    switch (letter) {
        case 'M':
            return {Mixer::stateSpace, FeedForward::none};
        case '*':
            return {Mixer::attention, FeedForward::none};
        case '-':
            return {Mixer::none, FeedForward::dense};
        case 'E':
            return {Mixer::none, FeedForward::experts};
        case 'S':
            return {Mixer::stateSpace, experts ? FeedForward::experts : FeedForward::dense};
        default:
            return {Mixer::attention, experts ? FeedForward::experts : FeedForward::dense};
    }
}

bool uniform(const ModelSpec& model) {
    return model.layerPattern.empty() && model.slidingWindow == 0 &&
           (model.moe.experts == 0 || (model.moe.denseLayers == 0 && model.moe.everyLayers == 1));
}

}  // namespace

LayerKind layerKind(const ModelSpec& model, std::int64_t index) {
    const std::int64_t at = std::min(index, model.layers - 1);
    if (!model.layerPattern.empty()) {
        // A pattern shorter than the model repeats.
        const auto letter = static_cast<std::size_t>(at) % model.layerPattern.size();
        return kindOfLetter(model.layerPattern[letter], model.moe.experts > 0);
    }
    LayerKind kind;
    const MoeSpec& moe = model.moe;
    if (moe.experts > 0 && at >= moe.denseLayers && (at - moe.denseLayers + 1) % moe.everyLayers == 0) {
        kind.feedForward = FeedForward::experts;
    }
    if (model.slidingWindow > 0 && (model.fullAttentionEvery == 0 || (at + 1) % model.fullAttentionEvery != 0)) {
        kind.mixer = Mixer::window;
    }
    return kind;
}

LayerMix layerMix(const ModelSpec& model, const std::vector<int>& layers) {
    LayerMix mix;
    if (uniform(model)) {
        mix.kinds = {layerKind(model, 0)};
        mix.counts = layers;
        return mix;
    }
    std::vector<std::size_t> kindAt;
    for (std::int64_t index = 0; index < model.layers; ++index) {
        const LayerKind kind = layerKind(model, index);
        const auto known = std::find(mix.kinds.begin(), mix.kinds.end(), kind);
        kindAt.push_back(static_cast<std::size_t>(known - mix.kinds.begin()));
        if (known == mix.kinds.end()) mix.kinds.push_back(kind);
    }
    mix.counts.assign(layers.size() * mix.kinds.size(), 0);
    std::size_t at = 0;
    for (std::size_t group = 0; group < layers.size(); ++group) {
        for (int i = 0; i < layers[group] && at < kindAt.size(); ++i, ++at) {
            ++mix.counts[group * mix.kinds.size() + kindAt[at]];
        }
    }
    return mix;
}

}  // namespace orrery
