// A timeline as MLCommons Chakra execution traces, so that ASTRA-sim and other simulators can take a prediction.
#pragma once

#include <string>
#include <vector>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// One file's content per rank, in the order of the ranks: nodes count ranks 0, 1, 2 ... in that order, and the
/// metadata attribute `rank` holds the timeline's own number. Tasks are COMP nodes; transfers between stages SEND and,
/// on the other side, RECV nodes with the same tag; other communication COMM_COLL nodes. A node depends on what was
/// over, row by row, when it began, so that a replay keeps the order. Times to the nanosecond are attributes
/// (orrery_start_ns, orrery_duration_ns), as the format's own are whole microseconds. Communication inside tasks
/// (tensor, context and expert parallel) is part of their duration. Throws InputError for a timeline without tasks.
[[nodiscard]] std::vector<std::string> chakraTraces(const Timeline& timeline);

}  // namespace orrery
