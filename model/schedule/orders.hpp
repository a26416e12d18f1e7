// The known orders, one function each. \pre stages, chunks, microBatches >= 1.
#pragma once

#include "model/schedule/schedule.hpp"

namespace orrery {

/// All forward passes, then all backward passes, both in order of the micro-batches (Huang et al. 2019, arXiv
/// 1811.06965; order as in PyTorch's ScheduleGPipe).
[[nodiscard]] Schedule gpipe(int stages, int microBatches);

/// One forward, one backward in turn after p-1-i warm-up passes (PipeDream-Flush; Narayanan et al. 2021, arXiv
/// 2104.04473, section 2.2.1).
[[nodiscard]] Schedule oneFOneB(int stages, int microBatches);

/// Interleaved 1F1B (section 2.2.2 there): micro-batches in groups of `stages` pass chunk after chunk; stage i warms up
/// with 2(p-1-i) + (v-1)p chunk passes. Where p does not divide the micro-batches, the order is that of the next
/// multiple with the missing ones left out (Megatron refuses such counts).
[[nodiscard]] Schedule interleaved(int stages, int chunks, int microBatches);

/// ZB-H1 (Qi et al. 2023, arXiv 2401.10241, section 2.1): 1F1B whose weight halves lag i micro-batches behind on stage
/// i, so that memory stays that of 1F1B's first stage and the bubble is a third (equal halves).
[[nodiscard]] Schedule zbH1(int stages, int microBatches);

/// ZB-H2 (same section): 2(p-1-i)+1 passes in flight before the first backward pass, weight halves that lag 2i behind;
/// no bubble inside the step for equal halves, about twice the activations.
[[nodiscard]] Schedule zbH2(int stages, int microBatches);

/// ZB-V (Qi et al. 2023, arXiv 2401.10241, section 6): two chunks a stage, there and back, weight halves at once in the
/// steady state and last in the cool-down. Memory of 1F1B, bubble of (p-1)/6m for equal times. Needs 2p-1 micro-batches
/// to fill; with fewer, the order is that of 2p-1 with the missing ones left out.
[[nodiscard]] Schedule zbV(int stages, int microBatches);

/// V-Half and V-Min (Qi et al. 2024, "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, section 3): a
/// building block of two forward and two backward passes repeats every six slots; weight halves fill the free slots;
/// warm-up and cool-down are then squeezed as far as the peak of the steady state allows. About a half and a third of
/// 1F1B's activations.
[[nodiscard]] Schedule vHalf(int stages, int microBatches);
[[nodiscard]] Schedule vMin(int stages, int microBatches);

/// DualPipe (DeepSeek-V3 report, arXiv 2412.19437, section 3.2.1; order as in github.com/deepseek-ai/DualPipe): even
/// micro-batches enter at stage 0, odd ones at the last stage; in the steady state the forward pass of one direction
/// and the backward pass of the other run as one. Needs p micro-batches in each direction to fill. \pre stages is even
[[nodiscard]] Schedule dualPipe(int stages, int microBatches);

/// DualPipeV ("cut in half", same repository): the first half of DualPipe's devices, each with two chunks, there and
/// back, so that no part of the model is held twice.
[[nodiscard]] Schedule dualPipeV(int stages, int microBatches);

/// The plan's own order. Throws InputError when its micro-batches are not as many, a task is missing, doubled or
/// unknown.
[[nodiscard]] Schedule givenOrder(const ParallelPlan& plan, int microBatches);

/// Whether an order has weight halves of their own.
[[nodiscard]] bool splitsBackward(const std::vector<std::vector<Task>>& order);

}  // namespace orrery
