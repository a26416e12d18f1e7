// What predictions of many plans of one model on one cost model have in common, found once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/predict/shape_costs.hpp"
#include "model/schedule/in_flight.hpp"

namespace orrery {

/// Costs of layers, orders of tasks and what they hold in memory. Belongs to one model and one cost model; for one
/// thread. Predictions are the same with and without it.
class PredictMemo {
  public:
    [[nodiscard]] std::shared_ptr<const ShapeCosts> shape(const ModelSpec& model, const ParallelPlan& plan,
                                                          const CostModel& cost, const PlanGroups& groups,
                                                          const std::vector<LayerKind>& kinds,
                                                          const MicroBatch& microBatch, bool split);

    /// The order of tasks; the last one is kept, because plans that differ in costs only follow each other.
    [[nodiscard]] std::shared_ptr<const Schedule> schedule(const ParallelPlan& plan, int microBatches);

    /// What the stages hold at most while `microBatches` like micro-batches pass.
    [[nodiscard]] const InFlight& inFlight(const ParallelPlan& plan, int microBatches);

  private:
    struct Parts {
        ParallelPlan plan;  ///< plainOfParts()
        std::vector<std::int64_t> documents;
        std::shared_ptr<const ShapeCosts> costs;
    };
    using ScheduleShape = std::tuple<ScheduleKind, int, int, int>;  ///< kind, stages, chunks, micro-batches

    std::unordered_map<std::size_t, std::vector<Parts>> parts_;
    std::map<ScheduleShape, InFlight> inFlight_;
    ScheduleShape lastShape_{};
    std::shared_ptr<const Schedule> last_;
    InFlight ofGivenOrder_;
};

}  // namespace orrery
