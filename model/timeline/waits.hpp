// Makes waiting visible: the gaps of a step become spans, named by why the rank had nothing to do.
#pragma once

#include <string_view>

#include "model/timeline/timeline.hpp"

namespace orrery {

/// Why a pipeline rank waits, told from where in its step the wait lies.
enum class WaitCause {
    warmUp,    ///< before the rank's first backward pass began: the pipeline fills
    steady,    ///< between forward and backward passes: an uneven stage or micro-batch elsewhere
    coolDown,  ///< after the rank's last forward pass: the pipeline drains
    stepEnd,   ///< after its last backward pass: others still work
    peer,      ///< inside a collective, until the last member arrives
    idle,      ///< no pipeline schedule is known
};
[[nodiscard]] std::string_view name(WaitCause cause);

/// Adds a span of Phase::wait to the task track of each rank wherever the rank's step has no task, operator, kernel,
/// communication or wait; a rank without a task track gets one. Call it where nothing else explains a gap (a
/// prediction; a recording without communication ranges); an annotated recording explains its waits itself.
void markGapsAsWaits(Timeline& timeline);

/// Names every wait span "wait: CAUSE", by the tasks of its rank and step. Waits already named so are left alone.
void nameWaits(Timeline& timeline);

}  // namespace orrery
