#include "model/packing/global_batches.hpp"

namespace orrery {

GlobalBatches inGlobalBatches(const std::vector<std::int64_t>& documents, std::int64_t tokensPerStep) {
    GlobalBatches batches(1);
    std::int64_t tokens = 0;
    for (const std::int64_t document : documents) {
        if (tokens >= tokensPerStep * std::ssize(batches)) batches.emplace_back();
        batches.back().push_back(document);
        tokens += document;
    }
    return batches;
}

}  // namespace orrery
