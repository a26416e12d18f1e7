// Where the time of a step went, as text for a terminal, as JSON and as CSV.
#pragma once

#include <string>

#include "model/compare/comparison.hpp"

namespace orrery {

/// A time with the unit that keeps it readable: "12.34 ms", "+0.31 ms" with `sign`.
[[nodiscard]] std::string timeText(Seconds time, bool sign = false);
/// "+2.7 %", or "-" when there is nothing to relate to.
[[nodiscard]] std::string percentText(double percent);

/// Aligned columns: name, predicted, measured, difference, error. Overall and, with `perRank`, one table a rank.
[[nodiscard]] std::string comparisonText(const Comparison& comparison, bool perRank);

/// Fields as docs/report.md documents them.
[[nodiscard]] std::string comparisonJson(const Comparison& comparison);

/// One line per (rank, group, row): rank,stage,group,name,predicted_s,measured_s,difference_s,error_pct.
[[nodiscard]] std::string comparisonCsv(const Comparison& comparison);

}  // namespace orrery
