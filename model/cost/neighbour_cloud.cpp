#include "model/cost/neighbour_cloud.hpp"

#include <cmath>
#include <limits>

namespace orrery {
namespace {
constexpr float kNowhere = 1e6F;  // unused places of the last block: too far to weigh anything
}

void NeighbourCloud::add(const ShapePoint& point, double weight) {
    const auto place = static_cast<Eigen::Index>(count_ % kBlock);
    if (place == 0) {
        Block block;
        for (Lane& lane : block.coordinates) lane.setConstant(kNowhere);
        block.weights.setZero();
        blocks_.push_back(block);
    }
    for (std::size_t axis = 0; axis < point.size(); ++axis) blocks_.back().coordinates[axis][place] = point[axis];
    blocks_.back().weights[place] = static_cast<float>(weight);
    ++count_;
}

NeighbourCloud::Answer NeighbourCloud::at(const ShapePoint& here, double reach) const {
    if (empty()) return {0.0, std::numeric_limits<double>::infinity()};
    const float inverse = reach > 0.0 ? static_cast<float>(1.0 / reach) : 0.0F;
    Lane sum = Lane::Zero();
    Lane nearest = Lane::Constant(std::numeric_limits<float>::max());
    for (const Block& block : blocks_) {
        const Lane squared = (block.coordinates[0] - here[0]).square() + (block.coordinates[1] - here[1]).square() +
                             (block.coordinates[2] - here[2]).square() + (block.coordinates[3] - here[3]).square();
        nearest = nearest.min(squared);
        if (inverse <= 0.0F) continue;
        const Lane r = squared.sqrt() * inverse;
        const Lane d = (1.0F - r).max(0.0F);
        sum += block.weights * d.square().square() * d * (5.0F * r + 1.0F);  // neighbourWeight(r)
    }
    return {static_cast<double>(sum.sum()), std::sqrt(static_cast<double>(nearest.minCoeff()))};
}

}  // namespace orrery
