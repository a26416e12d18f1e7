// One line of nccl-tests output, split by white space: columns shift between versions, their order does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::importers {

struct SweepHalf {
    double microseconds = 0.0, algbw = 0.0, busbw = 0.0;  ///< bandwidths in 10^9 bytes/s
};

struct ResultLine {
    std::int64_t bytes = 0, count = 0;
    std::string dtype;
    std::optional<SweepHalf> outOfPlace, inPlace;
};

/// Removes what launchers put in front: "0: ", "[1,0]<stdout>:".
[[nodiscard]] std::string_view withoutLauncherPrefix(std::string_view line);

/// A data row: size, count, type, [redop], [root], then time, algbw, busbw, errors for out-of-place and in-place, with
/// or without extra columns between. Nothing for any other line.
[[nodiscard]] std::optional<ResultLine> parseResultLine(std::string_view line);

}  // namespace orrery::importers
