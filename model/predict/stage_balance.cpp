#include "model/predict/stage_balance.hpp"

#include <algorithm>
#include <numeric>

#include "model/predict/model_flops.hpp"
#include "model/spec/layer_kind.hpp"

namespace orrery {
namespace {

/// Fills slots from the front as far as `bound` allows; empty when the layers do not fit.
std::vector<int> fill(const std::vector<double>& work, double tail, int slots, double bound) {
    std::vector<int> map(static_cast<std::size_t>(slots), 0);
    std::size_t layer = 0;
    for (int slot = 0; slot < slots; ++slot) {
        double sum = slot + 1 == slots ? tail : 0.0;
        while (layer < work.size() && sum + work[layer] <= bound * (1.0 + 1e-12)) {
            sum += work[layer++];
            ++map[static_cast<std::size_t>(slot)];
        }
    }
    return layer == work.size() ? map : std::vector<int>{};
}

}  // namespace

std::vector<int> balancedStageLayers(const ModelSpec& model, int slots, std::int64_t sequence) {
    const auto length = static_cast<double>(sequence);
    const double pairs = length * (length + 1.0) / 2.0;
    std::vector<double> work;
    for (std::int64_t index = 0; index < model.layers; ++index)
        work.push_back(layerForwardFlops(model, layerKind(model, index), length, pairs).value());
    const double output = 2.0 * length * static_cast<double>(model.vocab) * static_cast<double>(model.hidden);
    const double predicted = layerForwardFlops(model, layerKind(model, model.layers), length, pairs).value() + output;
    const double tail = output + static_cast<double>(model.mtpLayers) * predicted;

    double low = std::max(*std::max_element(work.begin(), work.end()),
                          (std::accumulate(work.begin(), work.end(), 0.0) + tail) / slots);
    double high = std::accumulate(work.begin(), work.end(), 0.0) + tail;
    low = std::max(low, std::min(tail, high));
    for (int i = 0; i < 60 && high > low * (1.0 + 1e-9); ++i) {
        const double middle = 0.5 * (low + high);
        (fill(work, tail, slots, middle).empty() ? low : high) = middle;
    }
    return fill(work, tail, slots, high);
}

}  // namespace orrery
