#include "model/packing/concatenate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {

Workload concatenateAndChunk(const PackShape& shape, const std::function<std::int64_t()>& nextLength) {
    constexpr std::int64_t kMostDocuments = 20'000'000;
    Workload workload;
    workload.sequenceLength = shape.sequenceLength;
    workload.replicas.resize(static_cast<std::size_t>(shape.replicas));
    std::int64_t open = 0;  // tokens of the current document that are not placed yet
    std::int64_t documents = 0;
    for (std::int64_t pack = 0; pack < shape.microBatches * shape.replicas; ++pack) {
        MicroBatch microBatch;
        for (std::int64_t room = shape.tokensPerMicroBatch; room > 0;) {
            if (open == 0) open = nextLength();
            const std::int64_t piece = std::min({open, room, shape.sequenceLength});
            microBatch.documents.push_back(piece);
            open -= piece;
            room -= piece;
            if (++documents > kMostDocuments) {
                throw InputError(
                    fmt::format("one step would hold more than {} documents; give fewer micro-batches or "
                                "longer documents",
                                kMostDocuments));
            }
        }
        workload.replicas[static_cast<std::size_t>(pack % shape.replicas)].push_back(std::move(microBatch));
    }
    return workload;
}

}  // namespace orrery
