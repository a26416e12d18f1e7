// V-Half and V-Min: a building block, repeated, filled with weight halves, and squeezed at both ends.
#include <algorithm>
#include <array>

#include "model/schedule/order_builder.hpp"
#include "model/schedule/orders.hpp"

namespace orrery {
namespace {

constexpr int kPeriod = 6;  ///< slots of a micro-batch on a stage: two forward, two backward, two weight halves

/// Slots of forward 0, forward 1, backward 1, backward 0 of the first micro-batch on a stage.
using Block = std::array<int, 4>;

/// arXiv 2405.15362, appendix: offsets between stages that make activations live for half as long as 1F1B's. The extra
/// interval keeps the four residues modulo six apart.
Block halfBlock(int p, int i) {
    const int interval = p % 2 == 0 ? 3 : 0;
    return {2 * i, 3 * p - i - 2, 3 * p + interval + 2 * i - 1, 6 * p + interval - i - 2};
}
/// The shortest possible life: every pass follows the one it needs at once.
Block shortestBlock(int p, int i) {
    const int interval = p % 3 == 0 ? 2 : 0;
    return {i, 2 * p - i - 1, 2 * p + interval + i, 4 * p + interval - i - 1};
}

struct Slot {
    Task task{-1, 0, TaskKind::forward, false};
    bool coolDown = false;  ///< behind the last forward pass

    [[nodiscard]] bool free() const { return task.microBatch < 0; }
};

class SlotTable {
  public:
    SlotTable(int stages, int microBatches, Block (*block)(int, int))
        : stages_(stages), microBatches_(microBatches), rows_(static_cast<std::size_t>(stages)) {
        times_.assign(rows_.size() * 6 * static_cast<std::size_t>(microBatches), 0);
        for (int stage = 0; stage < stages; ++stage) {
            const Block first = block(stages, stage);
            const int end = *std::max_element(first.begin(), first.end()) + kPeriod * (microBatches - 1) + 1;
            row(stage).resize(static_cast<std::size_t>(end));
            for (int i = 0; i < microBatches; ++i) {
                const auto at = [&](int pass) { return first[static_cast<std::size_t>(pass)] + kPeriod * i; };
                put(stage, at(0), {i, 0, TaskKind::forward});
                put(stage, at(1), {i, 1, TaskKind::forward});
                put(stage, at(2), {i, 1, TaskKind::backward});
                put(stage, at(3), {i, 0, TaskKind::backward});
            }
            fillWeights(stage);
        }
    }

    /// Moves every task to the earliest slot that its inputs and the peak of held activations allow.
    void squeeze() {
        forAllSlots([&](int stage, int slot) {
            const Task task = row(stage)[index(slot)].task;
            const int to = earliestWithinPeak(stage, slot, task);
            if (to == slot) return;
            for (int i = to; i < slot; ++i) held_[index(stage)][index(i)] += change(task.kind);
            move(stage, slot, to);
        });
    }

    /// Moves the backward passes of the cool-down to the earliest slot, before any weight half, and puts those last.
    void squeezeCoolDown() {
        std::vector<std::vector<Task>> weights(rows_.size());
        forAllSlots([&](int stage, int slot) {
            Slot& from = row(stage)[index(slot)];
            if (!from.coolDown) return;
            if (from.task.kind == TaskKind::backwardWeight) {
                weights[index(stage)].push_back(from.task);
                from = Slot{};
                return;
            }
            move(stage, slot, firstFree(stage, earliest(stage, from.task)));
        });
        for (int stage = 0; stage < stages_; ++stage) {
            for (const Task& task : weights[index(stage)]) put(stage, firstFree(stage, earliest(stage, task)), task);
        }
    }

    [[nodiscard]] Schedule order() const {
        OrderBuilder order(stages_, 2, microBatches_, true, Placement::vee);
        for (const auto& slots : rows_) {
            for (const Slot& slot : slots) {
                if (!slot.free()) order.add(slot.task.microBatch, slot.task.chunk, slot.task.kind);
            }
            order.endStage();
        }
        return order.take();
    }

  private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }
    std::vector<Slot>& row(int stage) { return rows_[index(stage)]; }
    int& time(int stage, const Task& task) {
        const std::size_t kind = static_cast<std::size_t>(task.kind) * 2 + static_cast<std::size_t>(task.chunk);
        return times_[(index(stage) * 6 + kind) * index(microBatches_) + index(task.microBatch)];
    }
    static int change(TaskKind kind) { return kind == TaskKind::forward ? 1 : kind == TaskKind::backward ? 0 : -1; }

    void put(int stage, int slot, const Task& task) {
        row(stage)[index(slot)].task = task;
        time(stage, task) = slot;
    }
    void move(int stage, int from, int to) {
        Slot& source = row(stage)[index(from)];
        const Slot moved = source;
        source = Slot{};
        row(stage)[index(to)] = moved;
        time(stage, moved.task) = to;
    }

    /// Weight halves in the order of their input halves, each in the next free slot; marks the cool-down and keeps the
    /// number of held chunks after each slot.
    void fillWeights(int stage) {
        std::vector<Task> waiting;
        std::size_t next = 0;
        bool coolDown = false;
        int held = 0;
        auto& slots = row(stage);
        auto& heldAfter = held_.emplace_back();
        for (int slot = 0; slot < static_cast<int>(slots.size()) || next < waiting.size(); ++slot) {
            if (slot == static_cast<int>(slots.size())) slots.emplace_back();
            const Task task = slots[index(slot)].task;
            slots[index(slot)].coolDown = coolDown;
            if (slots[index(slot)].free()) {
                if (next < waiting.size()) put(stage, slot, waiting[next++]);
            } else if (task.kind == TaskKind::backward) {
                waiting.push_back({task.microBatch, task.chunk, TaskKind::backwardWeight});
            } else if (task.chunk == 1 && task.microBatch == microBatches_ - 1) {
                coolDown = true;
            }
            if (!slots[index(slot)].free()) held += change(slots[index(slot)].task.kind);
            heldAfter.push_back(held);
            peak_ = std::max(peak_, held);
        }
    }

    template <typename Visit>
    void forAllSlots(const Visit& visit) {
        std::size_t longest = 0;
        for (const auto& slots : rows_) longest = std::max(longest, slots.size());
        for (int slot = 0; slot < static_cast<int>(longest); ++slot) {
            for (int stage = 0; stage < stages_; ++stage) {
                if (index(slot) < row(stage).size() && !row(stage)[index(slot)].free()) visit(stage, slot);
            }
        }
    }

    /// First slot behind everything that a task needs, its predecessor of the same kind and chunk included.
    int earliest(int stage, const Task& task) {
        int after = -1;
        const auto wait = [&](int on, const Task& other) { after = std::max(after, time(on, other)); };
        if (task.microBatch > 0) wait(stage, {task.microBatch - 1, task.chunk, task.kind});
        if (task.kind == TaskKind::backwardWeight) {
            wait(stage, {task.microBatch, task.chunk, TaskKind::backward});
            return after + 1;
        }
        const bool forward = task.kind == TaskKind::forward;
        const bool down = (task.chunk == 0) == forward;  // towards the last stage
        const int from = down ? stage - 1 : stage + 1;
        if (from >= 0 && from < stages_) {
            wait(from, task);
        } else if (task.chunk == 1 || !forward) {  // turned round, at either end of the stages
            wait(stage, turned(task));
        }
        return after + 1;
    }
    /// What a task that begins a way through the stages follows on its own stage.
    static Task turned(const Task& task) {
        const bool forward = task.kind == TaskKind::forward;
        if (forward) return {task.microBatch, 0, TaskKind::forward};
        return task.chunk == 0 ? Task{task.microBatch, 1, TaskKind::backward}
                               : Task{task.microBatch, 1, TaskKind::forward};
    }

    [[nodiscard]] int firstFree(int stage, int from) {
        auto& slots = row(stage);
        while (index(from) < slots.size() && !slots[index(from)].free()) ++from;
        if (index(from) >= slots.size()) slots.resize(index(from) + 1);
        return from;
    }

    int earliestWithinPeak(int stage, int slot, const Task& task) {
        const auto& held = held_[index(stage)];
        for (int to = earliest(stage, task); to < slot; ++to) {
            if (!row(stage)[index(to)].free()) continue;
            const auto exceeds = [&](int count) { return count + change(task.kind) > peak_; };
            if (std::none_of(held.begin() + to, held.begin() + slot, exceeds)) return to;
        }
        return slot;
    }

    int stages_, microBatches_;
    int peak_ = 0;  ///< chunks held by the fullest stage
    std::vector<std::vector<Slot>> rows_;
    std::vector<std::vector<int>> held_;  ///< chunks held after each slot
    std::vector<int> times_;              ///< slot of each task: stage, kind, chunk, micro-batch
};

Schedule fromBlock(int stages, int microBatches, Block (*block)(int, int)) {
    SlotTable table(stages, microBatches, block);
    table.squeeze();
    table.squeezeCoolDown();
    return table.order();
}

}  // namespace

Schedule vHalf(int stages, int microBatches) {
    return fromBlock(stages, microBatches, halfBlock);
}
Schedule vMin(int stages, int microBatches) {
    return fromBlock(stages, microBatches, shortestBlock);
}

}  // namespace orrery
