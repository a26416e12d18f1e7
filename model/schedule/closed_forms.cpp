#include "model/schedule/closed_forms.hpp"

#include <algorithm>
#include <cstddef>

namespace orrery {
namespace {

bool applies(const StageTimes& times, int microBatches) {
    const std::size_t p = times.forward.size();
    if (p == 0 || static_cast<std::size_t>(microBatches) <= p) return false;
    if (p < 3) return p == 1 || times.forward[1] + times.backward[1] >= times.forward[0] + times.backward[0];
    for (std::size_t i = 2; i + 1 < p; ++i) {
        if (times.forward[i] != times.forward[1] || times.backward[i] != times.backward[1]) return false;
    }
    return times.forward[p - 1] + times.backward[p - 1] >= times.forward[1] + times.backward[1];
}

/// Longest path from the begin of a stage's first forward pass to the end of its first backward pass: on its own lane,
/// which has p-i forward passes first, or up through the next stage and back. With the roles swapped, the same from the
/// last forward to the last backward pass.
std::vector<double> turns(const std::vector<double>& many, const std::vector<double>& one) {
    const std::size_t p = many.size();
    std::vector<double> longest(p);
    for (std::size_t i = p; i-- > 0;) {
        longest[i] = static_cast<double>(p - i) * many[i] + one[i];
        if (i + 1 < p) longest[i] = std::max(longest[i], many[i] + one[i] + longest[i + 1]);
    }
    return longest;
}

}  // namespace

std::optional<std::vector<double>> oneFOneBStageEnds(const StageTimes& times, int microBatches) {
    if (!applies(times, microBatches)) return std::nullopt;
    const std::size_t p = times.forward.size();
    const std::vector<double> first = turns(times.forward, times.backward);
    const std::vector<double> last = turns(times.backward, times.forward);
    std::vector<double> up(p + 1, 0.0);    // forward passes below a stage
    std::vector<double> down(p + 1, 0.0);  // backward passes below a stage
    for (std::size_t i = 0; i < p; ++i) {
        up[i + 1] = up[i] + times.forward[i];
        down[i + 1] = down[i] + times.backward[i];
    }
    // steady[i]: up to the begin of stage i's last forward pass along its own lane.
    std::vector<double> steady(p);
    for (std::size_t i = 0; i < p; ++i) {
        const double pairs = microBatches - static_cast<double>(p - i) - 1.0;
        steady[i] = up[i] + first[i] + pairs * (times.forward[i] + times.backward[i]);
    }
    std::vector<double> ends(p, 0.0);
    double above = 0.0;  // over stages i >= s: steady, turn, backward passes of the stages below i
    for (std::size_t s = p; s-- > 0;) {
        above = std::max(above, steady[s] + last[s] + down[s]);
        ends[s] = above - down[s];
    }
    double below = 0.0;  // over stages i < s: steady, less the forward passes below i
    for (std::size_t s = 1; s < p; ++s) {
        below = std::max(below, steady[s - 1] - up[s - 1]);
        ends[s] = std::max(ends[s], below + up[s] + last[s]);
    }
    return ends;
}

}  // namespace orrery
