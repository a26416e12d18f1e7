// Counts bad events and remembers where the first few stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "importers/importer.hpp"

namespace orrery::importers {

struct BadEvents {
    std::int64_t count = 0;
    std::string places;

    void add(std::size_t offset) {
        if (count < kKeptPlaces) places += fmt::format("{}{}", count == 0 ? "" : ", ", offset);
        ++count;
    }
    /// "3 events <what> (at byte 17, 90, 122)".
    void warn(std::string_view what, std::vector<Warning>& warnings) const {
        if (count == 0) return;
        warnings.push_back({fmt::format("{} event{} {} (at byte {}{})", count, count == 1 ? "" : "s", what, places,
                                        count > kKeptPlaces ? ", ..." : ""),
                            count});
    }

  private:
    static constexpr std::int64_t kKeptPlaces = 3;
};

}  // namespace orrery::importers
