#include <algorithm>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

struct ChunkPass {
    int microBatch = 0, chunk = 0;
};

/// The order in which every stage meets (micro-batch, chunk): groups of `stages` micro-batches, chunk by chunk.
/// The last group is filled up with micro-batches that do not exist. Leaving them out of an order that can run leaves
/// one that can run, because tasks of different micro-batches do not need each other; a shorter group would deadlock.
std::vector<ChunkPass> forwardPasses(int stages, int chunks, int microBatches) {
    std::vector<ChunkPass> passes;
    passes.reserve(static_cast<std::size_t>(microBatches + stages) * static_cast<std::size_t>(chunks));
    for (int first = 0; first < microBatches; first += stages) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = first; i < first + stages; ++i) passes.push_back({i, chunk});
        }
    }
    return passes;
}

}  // namespace

Schedule interleaved(int stages, int chunks, int microBatches) {
    OrderBuilder order(stages, chunks, microBatches);
    const std::vector<ChunkPass> passes = forwardPasses(stages, chunks, microBatches);
    const std::size_t total = passes.size();
    const auto forward = [&](const ChunkPass& pass) {
        if (pass.microBatch < microBatches) order.forward(pass.microBatch, pass.chunk);
    };
    const auto backward = [&](const ChunkPass& pass) {
        if (pass.microBatch < microBatches) order.backward(pass.microBatch, chunks - 1 - pass.chunk);
    };
    for (int stage = 0; stage < stages; ++stage) {
        const auto wanted = static_cast<std::size_t>(2 * (stages - 1 - stage) + (chunks - 1) * stages);
        const std::size_t warmUp = std::min(wanted, total);
        for (std::size_t k = 0; k < warmUp; ++k) forward(passes[k]);
        for (std::size_t k = 0; k < total; ++k) {
            if (warmUp + k < total) forward(passes[warmUp + k]);
            backward(passes[k]);
        }
        order.endStage();
    }
    return order.take();
}

}  // namespace orrery
