#include "model/cost/group_path.hpp"

#include <algorithm>

namespace orrery {

GroupPath pathOf(const Group& group, const ClusterSpec& cluster) {
    GroupPath path;
    path.size = group.size;
    path.innermost = cluster.links.empty() ? nullptr : &cluster.links.front();
    const double size = group.size;
    double inside = 1.0;
    for (std::size_t index = 0; index < cluster.links.size(); ++index) {
        const LinkLevel& level = cluster.links[index];
        const bool last = index + 1 == cluster.links.size();
        const double reach = last ? size : std::clamp(static_cast<double>(level.size / group.stride), 1.0, size);
        if (reach > inside && path.count < GroupPath::kMaxTiers) {
            path.tiers[static_cast<std::size_t>(path.count++)] = {&level, reach / inside, inside};
            inside = reach;
        }
    }
    return path;
}

}  // namespace orrery
