#include "model/calibrate/neighbour_correction.hpp"

#include <vector>

#include "model/calibrate/fit_kernel_law.hpp"
#include "model/calibrate/kriging.hpp"

namespace orrery {

void fitNeighbourCorrection(KernelLaw& law, std::span<KernelTableEntry> entries, const GpuSpec& gpu) {
    std::vector<ShapePoint> points;
    for (const KernelTableEntry& entry : entries) points.push_back(shapePoint(entry.op));
    const Kriging kriging = fitKriging(points, logResiduals(law, entries, gpu), law.residual);
    law.reach = kriging.reach;
    law.interpolationError = kriging.leaveOneOut;
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].weight = kriging.weights[i];
}

}  // namespace orrery
