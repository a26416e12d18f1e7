#include "model/replay/replay_job.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

struct Timer {
    std::string_view name, family;
    OpRole role;
    SyncScope scope;
    int place;
};

constexpr std::array kTimers{
    Timer{"forward-compute", "", OpRole::forward, SyncScope::none, 0},
    Timer{"backward-compute", "", OpRole::backward, SyncScope::none, 0},
    Timer{"forward-send", "forward-pp-comm", OpRole::forwardSend, SyncScope::pair, 0},
    Timer{"forward-recv", "forward-pp-comm", OpRole::forwardRecv, SyncScope::pair, 0},
    Timer{"backward-send", "backward-pp-comm", OpRole::backwardSend, SyncScope::pair, 0},
    Timer{"backward-recv", "backward-pp-comm", OpRole::backwardRecv, SyncScope::pair, 0},
    Timer{"params-all-gather", "", OpRole::paramGather, SyncScope::replicas, 0},
    Timer{"gc", "", OpRole::stepEnd, SyncScope::none, 0},
    Timer{"layernorm-grads-all-reduce", "", OpRole::stepEnd, SyncScope::alone, 1},
    Timer{"embedding-grads-all-reduce", "", OpRole::stepEnd, SyncScope::endStages, 2},
    Timer{"separate-grads-all-reduce", "", OpRole::stepEnd, SyncScope::replicas, 3},
    Timer{"grads-reduce-scatter", "", OpRole::gradReduce, SyncScope::replicas, 4},
    Timer{"optimizer-clip-main-grad", "", OpRole::stepEnd, SyncScope::all, kClipPlace},
    Timer{"optimizer", "", OpRole::stepEnd, SyncScope::none, kOptimizerPlace},
};

}  // namespace

std::optional<OpType> megatronOpType(std::string_view name) {
    const auto* found = std::find_if(kTimers.begin(), kTimers.end(), [&](const Timer& t) { return t.name == name; });
    if (found == kTimers.end()) return std::nullopt;
    return OpType{std::string(name), std::string(found->family.empty() ? name : found->family), found->role,
                  found->scope, found->place};
}

}  // namespace orrery
