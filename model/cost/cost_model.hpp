// How long one operator or one collective takes on a given cluster: measured table, fitted law or data sheet, in that
// order, and how sure the answer is. Schedules, overlap and memory are elsewhere.
#pragma once

#include <memory>
#include <string>

#include "model/calibrate/calibration.hpp"
#include "model/cost/estimate.hpp"
#include "model/cost/group.hpp"
#include "model/ops/op.hpp"
#include "model/spec/cluster_spec.hpp"
#include "model/spec/runtime_spec.hpp"

namespace orrery {

class KernelCosts;
class CollectiveCosts;

/// Immutable after construction and safe to share between threads.
class CostModel {
  public:
    CostModel(ClusterSpec cluster, Calibration calibration, RuntimeSpec runtime = {});

    /// Time of a kernel on a device of nominal speed, launch included.
    [[nodiscard]] Estimate kernel(const Op& op) const;

    /// Time of a collective once all members have arrived. `bytes` in the nccl-tests convention (the full buffer).
    /// 0 s for a group of one.
    [[nodiscard]] Estimate collective(OpClass kind, Bytes bytes, const Group& group) const;

    /// Point-to-point transfer between two ranks `distance` apart in rank order.
    [[nodiscard]] Estimate transfer(Bytes bytes, int distance) const;

    /// Host time of a task with this many operators that no operator covers.
    [[nodiscard]] Seconds hostGap(int operators) const;

    /// Time that the host needs to launch so many operators; a task is not done sooner.
    [[nodiscard]] Seconds launchTime(int operators) const { return operators * runtime_.hostPerOperator; }

    [[nodiscard]] const ClusterSpec& cluster() const { return cluster_; }
    [[nodiscard]] const Calibration& calibration() const { return calibration_; }
    [[nodiscard]] const RuntimeSpec& runtime() const { return runtime_; }

  private:
    /// What training adds to a collective that was timed alone.
    [[nodiscard]] Estimate inTraining(Estimate estimate, const Group& group) const;

    ClusterSpec cluster_;
    Calibration calibration_;
    RuntimeSpec runtime_;
    std::shared_ptr<const KernelCosts> kernels_;
    std::shared_ptr<const CollectiveCosts> collectives_;
};

}  // namespace orrery
