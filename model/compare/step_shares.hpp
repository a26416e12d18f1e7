// How one rank spent one step: every nanosecond of the step goes to exactly one phase and one operator class.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/timeline/step_window.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::other) + 1;
inline constexpr std::size_t kOpClasses = static_cast<std::size_t>(OpClass::other) + 1;
/// Beside the operator classes, a step has time in which the rank waits.
inline constexpr std::size_t kWaitClass = kOpClasses;

/// "gemm", ..., "other" and, for kWaitClass, "wait".
[[nodiscard]] std::string_view classRowName(std::size_t row);

struct StepShares {
    StepWindow window;
    std::array<std::int64_t, kPhases> phases{};          ///< ns; sum = window.duration()
    std::array<std::int64_t, kOpClasses + 1> classes{};  ///< ns; sum = window.duration()
};

/// Shares of every step of every rank, by (rank, begin). What counts at an instant, first match wins:
/// an operator or kernel that runs (communication it hides costs nothing); a wait; communication; a task (class `host`
/// where the task has operators elsewhere, `optimizer` or `other` where its operators are not known); nothing (phase
/// `other`, class `host`). Of several operators at once the one that started last counts.
[[nodiscard]] std::vector<StepShares> stepShares(const Timeline& timeline);

}  // namespace orrery
