#include "importers/kineto/stream_overruns.hpp"

#include <algorithm>

namespace orrery::importers {

std::int64_t StreamOverruns::count() {
    constexpr std::int64_t kLeast = 1'000'000;
    std::int64_t overruns = 0;
    for (auto& [stream, spans] : spans_) {
        std::sort(spans.begin(), spans.end());
        for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
            const auto [start, duration] = spans[i];
            const std::int64_t overrun = start + duration - spans[i + 1].first;
            if (overrun > kLeast && overrun > duration / 10 * 9) ++overruns;
        }
    }
    return overruns;
}

}  // namespace orrery::importers
