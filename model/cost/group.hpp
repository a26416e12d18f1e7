// A set of ranks that communicate, in the regular form that hybrid-parallel layouts produce.
#pragma once

#include <string>

namespace orrery {

/// `size` ranks, `stride` apart: r, r+stride, r+2 stride ... With Megatron's default order (tp, cp, ep, dp, pp from the
/// inside out) the tensor group has stride 1, the data group stride tp x cp, the pipeline group stride tp x cp x dp.
struct Group {
    std::string label;  ///< "tp", "dp", ...
    int size = 1;
    int stride = 1;
    /// Of what an all-to-all sends out of the innermost link level, the share that really crosses; the rest are copies
    /// that the receiving side makes (ExpertDispatch::deduplicated).
    double outerShare = 1.0;

    /// Devices from the first member to the last, inclusive, counted in ranks.
    [[nodiscard]] int span() const { return (size - 1) * stride + 1; }
};

}  // namespace orrery
