#include "model/spec/stage_layout.hpp"

#include <utility>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
    throw InputError("plan: " + fmt::format(text, std::forward<Args>(args)...));
}

bool endsGiven(const ParallelPlan& plan) {
    return plan.firstStageLayers > 0 || plan.lastStageLayers > 0;
}

/// `layers` over `slots`, the remainder on the first ones.
std::vector<int> evenSplit(std::int64_t layers, int slots) {
    const auto base = static_cast<int>(layers / slots);
    const auto extra = static_cast<int>(layers % slots);
    std::vector<int> split(static_cast<std::size_t>(slots), base);
    for (int slot = 0; slot < extra; ++slot) ++split[static_cast<std::size_t>(slot)];
    return split;
}

/// Layers of each stage where the first or the last has a number of its own; chunks of a stage share evenly.
std::vector<int> splitByEnds(const ParallelPlan& plan, std::int64_t layers) {
    std::vector<int> ofStage;
    const int inner = plan.pp - (plan.firstStageLayers > 0 ? 1 : 0) - (plan.lastStageLayers > 0 ? 1 : 0);
    if (inner > 0) ofStage = evenSplit(layers - plan.firstStageLayers - plan.lastStageLayers, inner);
    if (plan.firstStageLayers > 0) ofStage.insert(ofStage.begin(), plan.firstStageLayers);
    if (plan.lastStageLayers > 0) ofStage.push_back(plan.lastStageLayers);
    std::vector<int> split;
    for (int slot = 0; slot < plan.pp * plan.vpp; ++slot) {
        const int stage = stageOfSlot(placementOf(plan), plan.pp, slot);
        const std::vector<int> chunks = evenSplit(ofStage[static_cast<std::size_t>(stage)], plan.vpp);
        split.push_back(chunks[static_cast<std::size_t>(slot / plan.pp)]);
    }
    return split;
}

void validateEnds(const ParallelPlan& plan, const ModelSpec& model) {
    const int given = (plan.firstStageLayers > 0 ? 1 : 0) + (plan.lastStageLayers > 0 ? 1 : 0);
    if (plan.embeddingAsLayer || plan.lossAsLayer)
        fail("first_stage_layers and last_stage_layers exclude embedding_as_layer and loss_as_layer; keep one pair");
    if (plan.pp < 2) fail("first_stage_layers and last_stage_layers need pp > 1; leave them out");
    const std::int64_t rest = model.layers - plan.firstStageLayers - plan.lastStageLayers;
    const int inner = plan.pp - given;
    if (rest < 0 || (inner == 0) != (rest == 0)) {
        fail("first_stage_layers {} and last_stage_layers {} leave {} of the model's {} layers to {} other stages",
             plan.firstStageLayers, plan.lastStageLayers, rest, model.layers, inner);
    }
}

void validateMap(const ParallelPlan& plan, const ModelSpec& model) {
    const int slots = plan.pp * plan.vpp;
    if (plan.layersPerStage.empty()) {
        if (endsGiven(plan)) {
            validateEnds(plan, model);
        } else if (model.layers + (plan.embeddingAsLayer ? 1 : 0) + (plan.lossAsLayer ? 1 : 0) < slots) {
            fail("pp x vpp = {} is more than the model's {} layers; use fewer stages or give layers_per_stage", slots,
                 model.layers);
        }
        return;
    }
    if (endsGiven(plan) || plan.embeddingAsLayer || plan.lossAsLayer)
        fail("layers_per_stage already says where every layer is; leave out the other rules of the split");
    if (plan.layersPerStage.size() != static_cast<std::size_t>(slots))
        fail("layers_per_stage has {} entries; pp x vpp = {} are needed", plan.layersPerStage.size(), slots);
    std::int64_t sum = 0;
    for (const int layers : plan.layersPerStage) {
        if (layers < 0) fail("layers_per_stage has the entry {}; give 0 or more", layers);
        sum += layers;
    }
    if (sum != model.layers) fail("layers_per_stage adds up to {}; the model has {} layers", sum, model.layers);
}

void validateSchedule(const ParallelPlan& plan) {
    const bool given = plan.schedule == ScheduleKind::given;
    if (given != !plan.order.empty())
        fail("schedule 'given' and an order of tasks belong together; {}", given ? "give 'order'" : "drop 'order'");
    if (given && plan.order.size() != static_cast<std::size_t>(plan.pp))
        fail("order has {} lists of tasks; give one for each of the {} stages", plan.order.size(), plan.pp);
    if (placementOf(plan) == Placement::mirror && plan.pp % 2 != 0)
        fail("schedule '{}' needs an even pp, not {}; use 'dualpipev'", name(plan.schedule), plan.pp);
    if (plan.schedule == ScheduleKind::interleaved) {
        if (plan.pp == 1) fail("schedule 'interleaved' needs pp > 1; use '1f1b'");
        if (plan.vpp == 1) fail("schedule 'interleaved' needs vpp > 1; set vpp or use '1f1b'");
        return;
    }
    if (chunksOf(plan.schedule) == 2 && plan.vpp != 2)
        fail("schedule '{}' has two chunks a stage; set vpp = 2", name(plan.schedule));
    const bool one = chunksOf(plan.schedule) == 1 || placementOf(plan) == Placement::mirror;
    if (one && plan.vpp > 1) {
        fail("schedule '{}' has one chunk a stage but vpp is {}; use 'interleaved' or vpp = 1", name(plan.schedule),
             plan.vpp);
    }
}

}  // namespace

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

Placement placementOf(const ParallelPlan& plan) {
    return plan.schedule == ScheduleKind::given ? plan.orderPlacement : placementOf(plan.schedule);
}

int chunksOf(ScheduleKind kind) {
    if (kind == ScheduleKind::interleaved || kind == ScheduleKind::given) return 0;
    return placementOf(kind) == Placement::vee ? 2 : 1;
}

bool edgesTogether(const ParallelPlan& plan) {
    if (plan.pp == 1) return true;
    const int last = plan.pp * plan.vpp - 1;
    return placementOf(plan) == Placement::mirror || stageOfSlot(placementOf(plan), plan.pp, last) == 0;
}

int mtpSlotOf(const ParallelPlan& plan) {
    return plan.mtpSlot < 0 ? plan.pp * plan.vpp - 1 : plan.mtpSlot;
}

std::vector<int> ParallelPlan::stageLayers(std::int64_t layers) const {
    if (!layersPerStage.empty()) return layersPerStage;
    if (endsGiven(*this)) return splitByEnds(*this, layers);
    std::vector<int> split = evenSplit(layers + (embeddingAsLayer ? 1 : 0) + (lossAsLayer ? 1 : 0), pp * vpp);
    if (embeddingAsLayer) --split.front();
    if (lossAsLayer) --split.back();
    return split;
}

void validateStages(const ParallelPlan& plan, const ModelSpec& model) {
    validateSchedule(plan);
    validateMap(plan, model);
    if (plan.mtpSlot >= plan.pp * plan.vpp)
        fail("the multi-token-prediction slot {} is not one of pp x vpp = {}", plan.mtpSlot, plan.pp * plan.vpp);
}

}  // namespace orrery
