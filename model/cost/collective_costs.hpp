// Times of collectives on one cluster: fitted law with its measured points, or closed forms over the link levels.
#pragma once

#include <vector>

#include "model/calibrate/calibration.hpp"
#include "model/cost/collective_forms.hpp"
#include "model/cost/estimate.hpp"
#include "model/cost/neighbour_cloud.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Immutable; built once per cluster.
class CollectiveCosts {
  public:
    CollectiveCosts(const ClusterSpec& cluster, const Calibration& calibration);

    /// \pre group.size > 1
    [[nodiscard]] Estimate estimate(OpClass kind, Bytes bytes, const Group& group) const;

  private:
    struct Fitted {
        CollectiveLaw law;
        NeighbourCloud cloud;  ///< of law.points
    };

    [[nodiscard]] const Fitted* find(OpClass kind, bool acrossNodes) const;
    [[nodiscard]] PathRates ratesFor(const GroupPath& path) const;
    [[nodiscard]] Seconds closedForm(OpClass kind, Bytes bytes, const GroupPath& path, double outerShare) const;

    ClusterSpec cluster_;
    std::vector<Fitted> laws_;         ///< of this device, most samples first
    BytesPerSecond innerBandwidth_{};  ///< fitted; 0: data sheet
};

}  // namespace orrery
