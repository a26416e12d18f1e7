#include "model/search/explain.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

std::vector<Difference> differences(const Prediction& plan, const Prediction& other, double least) {
    std::vector<Difference> found;
    for (const auto& [part, seconds] : other.breakdown) {
        const auto own = plan.breakdown.find(part);
        const double mine = own == plan.breakdown.end() ? 0.0 : own->second.value();
        const double share = (mine - seconds.value()) / other.metrics.step.value();
        if (std::abs(share) >= least) found.push_back({part, share});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Difference& a, const Difference& b) { return std::abs(a.share) > std::abs(b.share); });
    return found;
}

}  // namespace orrery
