#include "model/spec/workload.hpp"

#include <numeric>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {

std::int64_t MicroBatch::tokens() const {
    return std::accumulate(documents.begin(), documents.end(), std::int64_t{0});
}

double MicroBatch::causalPairs() const {
    double pairs = 0.0;
    for (const auto length : documents) pairs += 0.5 * static_cast<double>(length) * static_cast<double>(length + 1);
    return pairs;
}

double MicroBatch::fullPairs() const {
    double pairs = 0.0;
    for (const auto length : documents) pairs += static_cast<double>(length) * static_cast<double>(length);
    return pairs;
}

std::int64_t Workload::tokens() const {
    std::int64_t total = 0;
    for (const auto& replica : replicas) {
        for (const auto& microBatch : replica) total += microBatch.tokens();
    }
    return total;
}

std::int64_t Workload::microBatches() const {
    return replicas.empty() ? 0 : static_cast<std::int64_t>(replicas.front().size());
}

Workload Workload::fixed(std::int64_t sequenceLength, std::int64_t globalBatch, std::int64_t microBatch, int dp) {
    if (sequenceLength <= 0 || globalBatch <= 0 || microBatch <= 0 || dp <= 0) {
        throw InputError(
            fmt::format("workload: sequence length {}, global batch {}, micro-batch {} and dp {} must be positive",
                        sequenceLength, globalBatch, microBatch, dp));
    }
    if (globalBatch % (microBatch * dp) != 0) {
        throw InputError(
            fmt::format("workload: global batch {} is not a multiple of micro-batch {} x dp {}; "
                        "choose a multiple of {}",
                        globalBatch, microBatch, dp, microBatch * dp));
    }
    const MicroBatch one{std::vector<std::int64_t>(static_cast<std::size_t>(microBatch), sequenceLength)};
    const std::vector<MicroBatch> replica(static_cast<std::size_t>(globalBatch / (microBatch * dp)), one);
    return {sequenceLength, std::vector<std::vector<MicroBatch>>(static_cast<std::size_t>(dp), replica)};
}

}  // namespace orrery
