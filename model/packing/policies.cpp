#include "model/packing/policies.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

const std::array<PackingPolicy, 8>& table() {
    static const std::array<PackingPolicy, 8> policies{{
        {"concat", "concatenate and chunk, attention across documents", "arXiv 2005.14165", concatenateAcross},
        {"concat-masked", "concatenate and chunk, attention per document", "arXiv 2407.21783", concatenateWithin},
        {"first-fit", "first-fit decreasing, padded", "Johnson 1974", firstFitDecreasing},
        {"best-fit", "best-fit decreasing, padded", "arXiv 2404.10830", bestFitDecreasing},
        {"buckets", "power-of-two length buckets, padded", "usual practice", lengthBuckets},
        {"decomposition", "power-of-two pieces, one length a step", "arXiv 2405.13226", datasetDecomposition},
        {"wlb", "variable length, balanced by cost, outlier queue", "arXiv 2503.17924", workloadBalanced},
        {"hbp", "packs of several lengths, balanced by attention", "arXiv 2503.07680", hierarchicalBalance},
    }};
    return policies;
}

}  // namespace

std::span<const PackingPolicy> packingPolicies() {
    return table();
}

const PackingPolicy& packingPolicy(std::string_view name) {
    std::string names;
    for (const PackingPolicy& policy : table()) {
        if (policy.name == name) return policy;
        names += names.empty() ? "" : ", ";
        names += policy.name;
    }
    throw InputError(fmt::format("--policy '{}': no such packing policy; there are all, {}", name, names));
}

}  // namespace orrery
