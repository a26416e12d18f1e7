#include "model/cost/gemm_tiling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

struct Tile {
    double m, n;
};
constexpr std::array kTiles{Tile{256, 128}, Tile{128, 256}, Tile{128, 128}, Tile{128, 64}, Tile{64, 128}, Tile{64, 64}};
constexpr std::array kSplits{1.0, 2.0, 4.0, 8.0, 16.0};
constexpr double kShortestSplit = 128.0;  // k elements that one part of a split keeps at least

}  // namespace

Seconds tiledGemmTime(const KernelLaw& law, const Op& op, const DevicePeaks& peaks) {
    const auto m = static_cast<double>(op.m);
    const auto n = static_cast<double>(op.n);
    const auto k = static_cast<double>(op.k);
    const auto groups = static_cast<double>(op.groups);
    const double perProcessor = peaks.compute.value() * law.computeEfficiency / peaks.multiprocessors;
    // A split writes and reads its partial sums in fp32, and a second pass adds them.
    const double partialSums = m * n * groups * 8.0 / (peaks.bandwidth.value() * law.bandwidthEfficiency);
    const double wave = law.waveOverhead.value();

    double best = std::numeric_limits<double>::infinity();
    for (const Tile& tile : kTiles) {
        const double reuse = tile.m * tile.n / (tile.m + tile.n);
        const double rate = perProcessor * reuse / (reuse + law.halfTile);
        const double tiles = std::ceil(m / tile.m) * std::ceil(n / tile.n) * groups;
        const double tileWork = 2.0 * tile.m * tile.n * k / rate;
        for (const double split : kSplits) {
            if (split > 1.0 && (k < split * kShortestSplit || tiles * split > 2.0 * peaks.multiprocessors)) break;
            const double exact = tiles * split / peaks.multiprocessors;
            const double waves = std::max(1.0, exact + law.waveShare * (std::ceil(exact) - exact));
            const double reduction = split > 1.0 ? wave + split * partialSums : 0.0;
            best = std::min(best, waves * (tileWork / split + wave) + reduction);
        }
    }
    return Seconds(best);
}

}  // namespace orrery
