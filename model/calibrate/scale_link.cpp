#include "model/calibrate/scale_link.hpp"

#include "model/cost/collective_law.hpp"

namespace orrery {

void scaleLink(ClusterSpec& cluster, Calibration& calibration, std::size_t level, double factor) {
    cluster.links[level].bandwidth = cluster.links[level].bandwidth * factor;
    const bool inner = level == 0;
    const bool outer = level + 1 == cluster.links.size() && level > 0;
    for (CollectiveLaw& law : calibration.collectives) {
        if (law.regimes.empty() || !(law.acrossNodes ? outer : inner)) continue;
        const CollectiveLaw measured = law;
        for (CollectiveRegime& regime : law.regimes) regime.busBandwidth = regime.busBandwidth * factor;
        for (CollectivePoint& point : law.points) {
            point.time = point.time *
                         (regimeTime(law, point.ranks, point.bytes) / regimeTime(measured, point.ranks, point.bytes));
        }
    }
}

}  // namespace orrery
