// Which parameters the devices of a pipeline stage hold.
#pragma once

#include <vector>

#include "model/spec/parallel_plan.hpp"
#include "model/spec/parameter_counts.hpp"

namespace orrery {

struct StageParameters {
    double layers = 0.0;     ///< of all layers on one rank of the stage, outside of experts
    double experts = 0.0;    ///< of the routed experts on one rank
    double embedding = 0.0;  ///< token embedding and positions on one rank; 0 except on the first stage
    double head = 0.0;       ///< final norm and output matrix; of a tied model only where its copy is on another stage
    int layerCount = 0;

    [[nodiscard]] double total() const { return layers + experts + embedding + head; }
    /// What data-parallel ranks share; experts have their own groups.
    [[nodiscard]] double outsideExperts() const { return layers + embedding + head; }
    bool operator==(const StageParameters&) const = default;
};

/// Parameters of one rank of each stage. Chunks of a stage are added up; multi-token prediction is on the last stage.
[[nodiscard]] std::vector<StageParameters> stageParameters(const ModelSpec& model, const ParallelPlan& plan);

}  // namespace orrery
