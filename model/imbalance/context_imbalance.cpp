// Context-parallel splits of a pack and how even they are.
#include <algorithm>
#include <numeric>

#include "model/imbalance/imbalance.hpp"

namespace orrery {
namespace {

/// Pairs of the queries [begin, end) of a document whose keys are all earlier ones and themselves.
double pairsOf(double begin, double end) {
    return (end * (end + 1.0) - begin * (begin + 1.0)) / 2.0;
}

/// Adds the pairs of tokens [begin, end) of a run of documents that starts at `offset` to the rank of their chunk.
void addChunks(const std::vector<std::int64_t>& documents, double length, int cp, std::vector<double>& ranks) {
    const int chunks = 2 * cp;
    double offset = 0.0;
    for (const std::int64_t document : documents) {
        const double end = offset + static_cast<double>(document);
        for (int chunk = static_cast<int>(offset * chunks / length); chunk < chunks; ++chunk) {
            const double from = std::max(offset, chunk * length / chunks);
            const double to = std::min(end, (chunk + 1) * length / chunks);
            if (from >= end) break;
            if (to > from)
                ranks[static_cast<std::size_t>(std::min(chunk, chunks - 1 - chunk))] +=
                    pairsOf(from - offset, to - offset);
        }
        offset = end;
    }
}

}  // namespace

double contextImbalance(const MicroBatch& pack, int cp, bool perDocument) {
    if (cp <= 1 || pack.documents.empty()) return 1.0;
    std::vector<double> ranks(static_cast<std::size_t>(cp), 0.0);
    if (perDocument) {
        for (const std::int64_t document : pack.documents)
            addChunks({document}, static_cast<double>(document), cp, ranks);
    } else {
        addChunks(pack.documents, static_cast<double>(pack.tokens()), cp, ranks);
    }
    return *std::max_element(ranks.begin(), ranks.end()) * cp / std::accumulate(ranks.begin(), ranks.end(), 0.0);
}

}  // namespace orrery
