// How many micro-batches each stage of a schedule holds at once, whatever they cost.
#pragma once

#include <vector>

#include "model/schedule/schedule.hpp"

namespace orrery {

/// For each stage the largest sets of forward passes whose activations it holds at the same time, as counts by chunk;
/// none is contained in another. With like micro-batches the peak of a stage is the most that one of them weighs.
class InFlight {
  public:
    InFlight() = default;
    explicit InFlight(const Schedule& schedule);
    /// Of 1F1B without its order: stage i holds p - i micro-batches, or all there are.
    [[nodiscard]] static InFlight oneFOneB(int stages, int microBatches);

    /// Highest sum of held activations of each stage. `held` is what one micro-batch holds in a virtual stage.
    /// \pre `layout` is that of the schedule.
    [[nodiscard]] std::vector<double> peak(const Schedule& layout, const double* held) const;
    /// Most micro-batches of each stage, where one that is in so many of its chunks counts so many times.
    [[nodiscard]] std::vector<int> passes() const;

  private:
    using Counts = std::vector<int>;         ///< by chunk
    std::vector<std::vector<Counts>> sets_;  ///< of each stage
};

/// Fewer micro-batches with the same InFlight: known orders reach their steady state within four rounds of the
/// pipeline and repeat after that. GPipe holds all.
[[nodiscard]] int microBatchesUntilSteady(ScheduleKind kind, int stages, int microBatches);

}  // namespace orrery
