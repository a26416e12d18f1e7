#include <algorithm>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

struct ChunkPass {
    int microBatch = 0, chunk = 0;
};

/// The order in which every stage meets (micro-batch, chunk): groups of `stages` micro-batches, chunk by chunk.
std::vector<ChunkPass> forwardPasses(int stages, int chunks, int microBatches) {
    std::vector<ChunkPass> passes;
    passes.reserve(static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    for (int first = 0; first < microBatches; first += stages) {
        const int end = std::min(first + stages, microBatches);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = first; i < end; ++i) passes.push_back({i, chunk});
        }
    }
    return passes;
}

}  // namespace

Schedule interleaved(int stages, int chunks, int microBatches) {
    OrderBuilder order(stages, chunks, microBatches);
    const std::vector<ChunkPass> passes = forwardPasses(stages, chunks, microBatches);
    const std::size_t total = passes.size();
    for (int stage = 0; stage < stages; ++stage) {
        const auto wanted = static_cast<std::size_t>(2 * (stages - 1 - stage) + (chunks - 1) * stages);
        const std::size_t warmUp = std::min(wanted, total);
        for (std::size_t k = 0; k < warmUp; ++k) order.forward(passes[k].microBatch, passes[k].chunk);
        for (std::size_t k = 0; k < total; ++k) {
            if (warmUp + k < total) order.forward(passes[warmUp + k].microBatch, passes[warmUp + k].chunk);
            order.backward(passes[k].microBatch, chunks - 1 - passes[k].chunk);
        }
        order.endStage();
    }
    return order.take();
}

}  // namespace orrery
