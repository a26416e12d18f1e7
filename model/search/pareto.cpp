#include "model/search/pareto.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace orrery {

std::vector<std::size_t> paretoFront(const std::vector<TimeAndMemory>& points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(points[a].time, points[a].memory, a) < std::tuple(points[b].time, points[b].memory, b);
    });
    std::vector<std::size_t> front;
    for (const std::size_t at : order) {
        if (front.empty() || points[at].memory < points[front.back()].memory) front.push_back(at);
    }
    return front;
}

}  // namespace orrery
