#include "model/search/plan_space.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

constexpr std::int64_t kFewestTokensOfContextRank = 2048;
constexpr std::int64_t kLargestMicroBatch = 64;

/// Divisors of `number` up to `most`, ascending.
std::vector<int> divisors(std::int64_t number, std::int64_t most) {
    std::vector<int> found;
    for (std::int64_t d = 1; d <= std::min(number, most); ++d) {
        if (number % d == 0) found.push_back(static_cast<int>(d));
    }
    return found;
}

void fill(std::vector<int>& list, std::vector<int> values) {
    if (list.empty()) list = std::move(values);
}

}  // namespace

std::vector<ScheduleKind> allSchedules() {
    return {ScheduleKind::oneFOneB, ScheduleKind::interleaved, ScheduleKind::zbH1,
            ScheduleKind::zbH2,     ScheduleKind::zbV,         ScheduleKind::vHalf,
            ScheduleKind::vMin,     ScheduleKind::dualPipe,    ScheduleKind::dualPipeV};
}

void openDimensions(PlanSpace& space, const ModelSpec& model, const JobSize& job) {
    fill(space.tp, divisors(std::gcd(model.heads, std::int64_t{job.gpus}), job.gpus));
    fill(space.pp, divisors(job.gpus, model.layers));
    fill(space.vpp, divisors(model.layers, model.layers));
    fill(space.cp, space.base.flashAttention
                       ? divisors(job.gpus, std::max<std::int64_t>(1, job.sequenceLength / kFewestTokensOfContextRank))
                       : std::vector<int>{1});
    const bool experts = model.moe.experts > 0;
    fill(space.ep, experts ? divisors(model.moe.experts, job.gpus) : std::vector<int>{1});
    fill(space.etp, experts ? space.tp : std::vector<int>{1});
    fill(space.microBatch, job.globalBatch > 0 ? divisors(job.globalBatch, kLargestMicroBatch) : std::vector<int>{1});
    if (space.schedule.empty()) space.schedule = {ScheduleKind::oneFOneB, ScheduleKind::interleaved};
    if (space.recompute.empty()) space.recompute = {Recompute::none, Recompute::selective, Recompute::full};
    if (space.sharding.empty()) space.sharding = {Sharding::zero0, Sharding::zero1, Sharding::zero2};
    if (space.sequenceParallel.empty()) space.sequenceParallel = {1};
    if (space.split.empty()) space.split = {LayerSplit::even, LayerSplit::edgesAsLayers};
}

}  // namespace orrery
