// Puts a schedule together, stage after stage. Internal to the folder.
#pragma once

#include <utility>

#include "model/schedule/schedule.hpp"

namespace orrery {

class OrderBuilder {
  public:
    OrderBuilder(int stages, int chunks, int microBatches, bool splitBackward = false,
                 Placement placement = Placement::loop) {
        schedule_.placement = placement;
        schedule_.stages = stages;
        schedule_.chunks = chunks;
        schedule_.microBatches = microBatches;
        schedule_.splitBackward = splitBackward;
        const std::size_t kinds = splitBackward ? 3 : 2;
        schedule_.tasks.reserve(static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks) *
                                static_cast<std::size_t>(microBatches) * kinds);
        schedule_.begin.reserve(static_cast<std::size_t>(stages) + 1);
        schedule_.begin.push_back(0);
    }

    void forward(int microBatch, int chunk = 0) { add(microBatch, chunk, TaskKind::forward); }
    void backward(int microBatch, int chunk = 0) { add(microBatch, chunk, TaskKind::backward); }
    void weight(int microBatch, int chunk = 0) { add(microBatch, chunk, TaskKind::backwardWeight); }
    /// Makes the last task run as one with the next one.
    void join() { schedule_.tasks.back().joined = true; }
    void endStage() { schedule_.begin.push_back(static_cast<std::uint32_t>(schedule_.tasks.size())); }
    [[nodiscard]] Schedule take() { return std::move(schedule_); }

    void add(int microBatch, int chunk, TaskKind kind) {
        schedule_.tasks.push_back({microBatch, static_cast<std::int16_t>(chunk), kind});
    }

  private:
    Schedule schedule_;
};

}  // namespace orrery
