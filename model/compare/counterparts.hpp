// Which span of one timeline is the same piece of work in the other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// For each row of `of` the row of `in` that does the same work: same rank, lane, phase, class, micro-batch and name
/// (tasks: any name), the k-th of its step in the k-th step. Waits and whole steps have none.
[[nodiscard]] std::vector<std::optional<std::size_t>> counterparts(const Timeline& of, const Timeline& in);

/// The same for one span, with the step of `in` to look at named (-1: any): for a view that asks about what was
/// clicked.
[[nodiscard]] std::optional<std::size_t> counterpartOf(const Timeline& of, std::size_t row, const Timeline& in,
                                                       int step);

}  // namespace orrery
