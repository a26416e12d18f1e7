#include "model/cost/collective_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/cost/collective_forms.hpp"

namespace orrery {

// Doubling the ranks changes algorithm and topology more than doubling the bytes does.
constexpr double kRankScale = 3.0;

double hopCount(OpClass kind, int ranks) {
    if (ranks <= 1) return 0.0;
    switch (kind) {
        case OpClass::allReduce:
            return 2.0 * std::log2(static_cast<double>(ranks));
        case OpClass::sendRecv:
        case OpClass::broadcast:
            return 1.0;
        default:
            return ranks - 1.0;
    }
}

Seconds regimeTime(const CollectiveLaw& law, int ranks, Bytes bytes) {
    const double hops = hopCount(law.kind, ranks);
    const double factor = busFactor(law.kind, ranks);
    Seconds best(std::numeric_limits<double>::infinity());
    for (const CollectiveRegime& regime : law.regimes) {
        best = std::min(best, regime.latency + hops * regime.hopLatency + factor * bytes / regime.busBandwidth);
    }
    return best;
}

ShapePoint collectivePoint(int ranks, int nodes, Bytes bytes) {
    return {static_cast<float>(std::log2(std::max(1.0, bytes.value()))),
            static_cast<float>(kRankScale * std::log2(ranks)), static_cast<float>(std::log2(std::max(1, nodes))), 0.0F};
}

}  // namespace orrery
