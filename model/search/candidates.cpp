#include "model/search/candidates.hpp"

#include <algorithm>

#include "model/spec/stage_layout.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Walks the dimensions from those that rule out most to those that rule out least.
class Walk {
  public:
    Walk(const PlanSpace& space, const ModelSpec& model, const ClusterSpec& cluster, const JobSize& job)
        : space_(space), model_(model), cluster_(cluster), job_(job) {}

    Candidates run() {
        for (const int tp : space_.tp) {
            for (const int pp : space_.pp) {
                for (const int cp : space_.cp) degrees(tp, pp, cp);
            }
        }
        return std::move(out_);
    }

  private:
    void reject(Rejection reason, std::size_t points) {
        out_.rejected[static_cast<std::size_t>(reason)] += static_cast<std::int64_t>(points);
    }

    // Points below a level of the walk.
    [[nodiscard]] std::size_t ofExperts() const { return space_.ep.size() * space_.etp.size() * ofPipeline(); }
    [[nodiscard]] std::size_t ofPipeline() const {
        return space_.vpp.size() * space_.schedule.size() * space_.split.size() * ofBatch();
    }
    [[nodiscard]] std::size_t ofBatch() const { return space_.microBatch.size() * ofMemory(); }
    [[nodiscard]] std::size_t ofMemory() const {
        return space_.recompute.size() * space_.sharding.size() * space_.sequenceParallel.size();
    }

    void degrees(int tp, int pp, int cp) {
        const std::int64_t others = std::int64_t{tp} * pp * cp;
        const auto rest = static_cast<int>(job_.gpus / others);
        const bool fits = others <= job_.gpus && job_.gpus % others == 0;
        const std::size_t replicas = std::max<std::size_t>(1, space_.dp.size());
        if (!fits || (!space_.dp.empty() && std::find(space_.dp.begin(), space_.dp.end(), rest) == space_.dp.end())) {
            reject(Rejection::gpus, replicas * ofExperts());
            return;
        }
        reject(Rejection::gpus, (replicas - 1) * ofExperts());
        at_ = {};
        at_.tp = tp;
        at_.pp = pp;
        at_.cp = cp;
        at_.dp = rest;
        const int node = cluster_.links.empty() ? cluster_.gpus : cluster_.links.front().size;
        if (tp <= node ? node % tp != 0 : tp % node != 0) return reject(Rejection::placement, ofExperts());
        if (!dividesWidth(tp)) return reject(Rejection::heads, ofExperts());
        if (cp > 1 && job_.sequenceLength % (2LL * cp) != 0) return reject(Rejection::context, ofExperts());
        for (const int ep : space_.ep) {
            for (const int etp : space_.etp) experts(ep, etp);
        }
    }

    [[nodiscard]] bool dividesWidth(int tp) const {
        const bool kv = model_.kvHeads % tp == 0 || tp % model_.kvHeads == 0;
        const bool state = model_.layerPattern.empty() || model_.stateSpace.heads % tp == 0;
        return model_.heads % tp == 0 && kv && state && model_.ffnHidden % tp == 0 && model_.moe.sharedFfn % tp == 0;
    }

    void experts(int ep, int etp) {
        at_.ep = ep;
        at_.etp = etp;
        const std::int64_t ranks = std::int64_t{at_.tp} * at_.dp * at_.cp;
        const bool dense = model_.moe.experts == 0;
        const bool divide = dense ? ep == 1 && etp == 1
                                  : model_.moe.experts % ep == 0 && model_.moe.ffnHidden % etp == 0 &&
                                        at_.tp % etp == 0 && ranks % (std::int64_t{ep} * etp) == 0;
        if (!divide) return reject(Rejection::experts, ofPipeline());
        for (const int vpp : space_.vpp) {
            for (const ScheduleKind schedule : space_.schedule) {
                for (const LayerSplit split : space_.split) pipeline(vpp, schedule, split);
            }
        }
    }

    void pipeline(int vpp, ScheduleKind schedule, LayerSplit split) {
        at_.vpp = vpp;
        at_.schedule = schedule;
        at_.split = split;
        if (at_.pp == 1) {  // every schedule is the same there
            const bool first = schedule == space_.schedule.front() && split == space_.split.front();
            if (vpp != 1) return reject(Rejection::schedule, ofBatch());
            if (!first) return;
            at_.schedule = ScheduleKind::oneFOneB;
            at_.split = LayerSplit::even;
        } else if (!runs(schedule, vpp)) {
            return reject(Rejection::schedule, ofBatch());
        } else if (!divides(split)) {
            return reject(Rejection::layers, ofBatch());
        }
        for (const int microBatch : space_.microBatch) batch(microBatch);
    }

    [[nodiscard]] bool runs(ScheduleKind schedule, int vpp) const {
        if (placementOf(schedule) == Placement::mirror && at_.pp % 2 != 0) return false;
        const int chunks = chunksOf(schedule);
        return chunks == 0 ? vpp > 1 : chunks == vpp;
    }

    /// Even splits; uneven ones only where the pipeline has no even one and no chunks.
    [[nodiscard]] bool divides(LayerSplit split) const {
        const std::int64_t slots = std::int64_t{at_.pp} * at_.vpp;
        const bool even = model_.layers % slots == 0;
        const bool edges = (model_.layers + 2) % slots == 0 && (model_.layers + 2) / slots > 1;
        if (split == LayerSplit::edgesAsLayers) return edges;
        return even || (!edges && at_.vpp == 1 && model_.layers >= slots);
    }

    void batch(int microBatch) {
        at_.microBatch = microBatch;
        const std::int64_t together = std::int64_t{microBatch} * at_.dp;
        if (job_.globalBatch > 0) {
            if (job_.globalBatch % together != 0) return reject(Rejection::batch, ofMemory());
            const std::int64_t microBatches = job_.globalBatch / together;
            // Megatron-LM's interleaved schedule takes micro-batches in rounds of pp.
            if (at_.schedule == ScheduleKind::interleaved && microBatches % at_.pp != 0)
                return reject(Rejection::schedule, ofMemory());
        }
        const int dataRanks = at_.dp * at_.cp;
        for (const Recompute recompute : space_.recompute) {
            for (const Sharding sharding : space_.sharding) {
                if (dataRanks == 1 && sharding != space_.sharding.front()) continue;  // nothing to divide by
                at_.recompute = recompute;
                at_.sharding = dataRanks == 1 ? Sharding::zero0 : sharding;
                for (const std::uint8_t sequenceParallel : space_.sequenceParallel) {
                    at_.sequenceParallel = at_.tp > 1 && sequenceParallel != 0;
                    if (at_.tp > 1 || sequenceParallel == space_.sequenceParallel.front()) keepIfValid();
                }
            }
        }
    }

    /// The checks above are there to count reasons without building plans; what they miss is caught here.
    void keepIfValid() {
        try {
            validate(planOf(at_, space_), model_, cluster_);
            out_.legal.push_back(at_);
        } catch (const InputError&) {
            reject(Rejection::schedule, 1);
        }
    }

    const PlanSpace& space_;
    const ModelSpec& model_;
    const ClusterSpec& cluster_;
    const JobSize& job_;
    Candidate at_;
    Candidates out_;
};

struct Words {
    Rejection reason;
    std::string_view name, text;
};
constexpr std::array<Words, kRejections> kWords{{
    {Rejection::gpus, "gpus", "sizes do not multiply to the number of GPUs"},
    {Rejection::placement, "placement", "a tensor-parallel group would lie askew in the nodes"},
    {Rejection::heads, "heads", "tp does not divide heads or columns"},
    {Rejection::context, "context", "2 x cp does not divide the sequence"},
    {Rejection::experts, "experts", "ep or etp does not divide experts or ranks"},
    {Rejection::layers, "layers", "pp x vpp does not divide the layers"},
    {Rejection::schedule, "schedule", "schedule, pp, vpp and micro-batches do not go together"},
    {Rejection::batch, "batch", "micro-batches of all replicas do not make up the batch"},
    {Rejection::states, "states", "weights, gradients and optimizer alone exceed the memory"},
    {Rejection::memory, "memory", "with activations it exceeds the memory"},
}};

}  // namespace

std::string_view describe(Rejection reason) {
    return kWords[static_cast<std::size_t>(reason)].text;
}
std::string_view name(Rejection reason) {
    return kWords[static_cast<std::size_t>(reason)].name;
}

ParallelPlan planOf(const Candidate& candidate, const PlanSpace& space) {
    ParallelPlan plan = space.base;
    plan.tp = candidate.tp;
    plan.pp = candidate.pp;
    plan.vpp = candidate.vpp;
    plan.dp = candidate.dp;
    plan.cp = candidate.cp;
    plan.ep = candidate.ep;
    plan.etp = candidate.etp;
    plan.schedule = candidate.schedule;
    plan.recompute = candidate.recompute;
    plan.sharding = candidate.sharding;
    plan.sequenceParallel = candidate.sequenceParallel;
    if (candidate.split == LayerSplit::edgesAsLayers) plan.embeddingAsLayer = plan.lossAsLayer = true;
    return plan;
}

Candidates legalCandidates(const PlanSpace& space, const ModelSpec& model, const ClusterSpec& cluster,
                           const JobSize& job) {
    return Walk(space, model, cluster, job).run();
}

}  // namespace orrery
