#include "model/predict/indexed_workload.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

void requireTokens(const MicroBatch& microBatch, std::size_t replica) {
    const auto shortest = std::min_element(microBatch.documents.begin(), microBatch.documents.end());
    if (shortest != microBatch.documents.end() && *shortest > 0) return;
    const std::string what = microBatch.documents.empty() ? "a micro-batch without documents"
                                                          : fmt::format("a document of {} tokens", *shortest);
    throw InputError(fmt::format("workload: replica {} has {}; give every document 1 token or more", replica, what));
}

bool sameList(const std::vector<MicroBatch>& a, const std::vector<MicroBatch>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const MicroBatch& x, const MicroBatch& y) { return x.documents == y.documents; });
}

}  // namespace

IndexedWorkload::IndexedWorkload(const Workload& workload) {
    const std::vector<MicroBatch>* previous = nullptr;
    for (std::size_t replica = 0; replica < workload.replicas.size(); ++replica) {
        const auto& microBatches = workload.replicas[replica];
        if (microBatches.empty())
            throw InputError(fmt::format("workload: replica {} has no micro-batches; give it one", replica));
        if (previous != nullptr && sameList(*previous, microBatches)) {
            listOf.push_back(listOf.back());
        } else {
            std::vector<std::uint32_t> list;
            list.reserve(microBatches.size());
            for (const MicroBatch& microBatch : microBatches) {
                std::size_t id = shapes.size();  // newest first: equal micro-batches usually follow each other
                while (id > 0 && shapes[id - 1]->documents != microBatch.documents) --id;
                if (id == 0) {
                    requireTokens(microBatch, replica);
                    shapes.push_back(&microBatch);
                    id = shapes.size();
                }
                list.push_back(static_cast<std::uint32_t>(id - 1));
            }
            const auto known = std::find(shapeOf.begin(), shapeOf.end(), list);
            listOf.push_back(static_cast<std::uint32_t>(known - shapeOf.begin()));
            if (known == shapeOf.end()) shapeOf.push_back(std::move(list));
        }
        previous = &microBatches;
    }
    std::vector<double> tokensOf;
    std::vector<double> pairsOf;
    for (const MicroBatch* shape : shapes) {
        tokensOf.push_back(static_cast<double>(shape->tokens()));
        pairsOf.push_back(shape->causalPairs());
    }
    for (const auto& list : shapeOf) {
        auto& count = counts.emplace_back(shapes.size(), 0);
        for (const std::uint32_t shape : list) ++count[shape];
    }
    for (const std::uint32_t list : listOf) {
        for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
            tokens += counts[list][shape] * tokensOf[shape];
            pairs += counts[list][shape] * pairsOf[shape];
        }
    }
}

}  // namespace orrery
