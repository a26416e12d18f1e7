#include "report/trace/sides.hpp"

#include "model/compare/counterparts.hpp"

namespace orrery {

std::vector<std::vector<std::optional<BothSides>>> bothSides(const std::vector<NamedTimeline>& timelines) {
    std::vector<std::vector<std::optional<BothSides>>> out;
    for (const auto& named : timelines) out.emplace_back(named.timeline.size());
    if (timelines.size() != 2) return out;
    const std::size_t predicted = timelines[0].name == "predicted" ? 0 : 1;
    const std::size_t measured = 1 - predicted;
    if (timelines[predicted].name != "predicted" || timelines[measured].name != "measured") return out;
    const Timeline& p = timelines[predicted].timeline;
    const Timeline& m = timelines[measured].timeline;
    const auto pairs = counterparts(p, m);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        if (!pairs[row]) continue;
        const BothSides sides{p.span(row).duration, m.span(*pairs[row]).duration};
        out[predicted][row] = sides;
        out[measured][*pairs[row]] = sides;
    }
    return out;
}

}  // namespace orrery
