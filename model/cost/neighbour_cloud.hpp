// The measured points around a law, laid out so that one pass over all of them costs a few hundred nanoseconds.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/cost/kernel_neighbours.hpp"

namespace orrery {

/// Immutable after the last add(); reading is thread-safe.
class NeighbourCloud {
  public:
    struct Answer {
        double correction = 0.0;  ///< sum of weight * neighbourWeight(distance / reach)
        double nearest = 0.0;     ///< distance to the nearest point; infinite without points
    };

    void add(const ShapePoint& point, double weight);
    [[nodiscard]] bool empty() const { return count_ == 0; }

    /// `reach` 0: no correction, only the distance.
    [[nodiscard]] Answer at(const ShapePoint& here, double reach) const;

  private:
    static constexpr int kBlock = 16;
    using Lane = Eigen::Array<float, kBlock, 1>;
    struct Block {
        std::array<Lane, 4> coordinates;
        Lane weights;
    };
    std::vector<Block> blocks_;
    std::size_t count_ = 0;
};

}  // namespace orrery
