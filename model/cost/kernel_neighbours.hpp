// Where a kernel's shape lies among measured ones: coordinates in log2(size), and the smooth weight of a neighbour.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/ops/op.hpp"

namespace orrery {

/// m, n, k, groups of a GEMM; tokens, keys per query, heads, head size of attention; bytes of the rest; in log2.
using ShapePoint = std::array<float, 4>;
[[nodiscard]] ShapePoint shapePoint(const Op& op);
[[nodiscard]] float distance(const ShapePoint& a, const ShapePoint& b);

/// Wendland's compactly supported function (Adv. Comput. Math. 4, 1995), positive definite in up to 5 dimensions:
/// (1-r)^5 (5r+1) for r = distance/reach < 1, else 0. Cheap, smooth, and exact interpolation exists for any points.
[[nodiscard]] inline double neighbourWeight(double r) {
    if (r >= 1.0) return 0.0;
    const double d = 1.0 - r;
    const double d2 = d * d;
    return d2 * d2 * d * (5.0 * r + 1.0);
}

/// Hash of what makes two operators the same measurement: class, pass, dtype, shape. Names are added by the caller.
[[nodiscard]] std::uint64_t shapeHash(const Op& op);
[[nodiscard]] std::uint64_t nameHash(std::string_view text);
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace orrery
