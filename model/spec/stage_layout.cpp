#include "model/spec/stage_layout.hpp"

namespace orrery {

Placement placementOf(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::zbV:
        case ScheduleKind::vHalf:
        case ScheduleKind::vMin:
        case ScheduleKind::dualPipeV:
            return Placement::vee;
        case ScheduleKind::dualPipe:
            return Placement::mirror;
        default:
            return Placement::loop;
    }
}

int chunksOf(ScheduleKind kind) {
    if (kind == ScheduleKind::interleaved) return 0;
    return placementOf(kind) == Placement::vee ? 2 : 1;
}

bool edgesTogether(const ParallelPlan& plan) {
    return plan.pp == 1 || placementOf(plan.schedule) != Placement::loop;
}

}  // namespace orrery
