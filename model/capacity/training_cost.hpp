// What a whole training run costs: time, GPU-hours, energy, money. docs/model.md, "Capacity".
#pragma once

#include "model/predict/prediction.hpp"

namespace orrery {

/// What running a GPU takes, beside what it computes.
struct Operation {
    double tdpWatts = 0.0;         ///< of one GPU by its data sheet; 0: unknown, and no energy is told
    double waitingShare = 0.5;     ///< of the TDP while a GPU waits or communicates: power falls to about a half of it
                                   ///< in the synchronising phases of GPT-NeoX (Patel et al. 2023, arXiv 2308.12908)
    double hostWattsPerGpu = 0.0;  ///< share of CPUs, memory, network cards and fans
    double pue = 1.0;              ///< energy of the building over that of its machines
    double pricePerGpuHour = 0.0;  ///< in any currency; 0: unknown, and no money is told
    double availability = 0.9;     ///< share of the time that makes progress: failures, restarts, checkpoints (Llama 3
                                   ///< reports more than 90 %; arXiv 2407.21783, section 3.3.4)
};

/// Of one number of GPUs. An interval is what the calibration's uncertainty leaves, two standard errors to each side.
struct TrainingCost {
    int gpus = 0;
    double steps = 0.0;
    double days = 0.0, daysLow = 0.0, daysHigh = 0.0;
    double gpuHours = 0.0;  ///< availability included
    double megawattHours = 0.0;
    double money = 0.0, moneyLow = 0.0, moneyHigh = 0.0;
};

/// Mean power of one GPU over a step: the TDP while it computes, `waitingShare` of it else.
[[nodiscard]] double meanWatts(const Prediction& prediction, const Operation& operation);

/// `tokens` of training data at `tokensPerStep`.
[[nodiscard]] TrainingCost trainingCost(const Prediction& prediction, int gpus, double tokensPerStep, double tokens,
                                        const Operation& operation);

/// The same the other way round: tokens that can be trained on within so many days, or for so much money.
[[nodiscard]] double tokensWithin(const TrainingCost& cost, double tokens, double days);
[[nodiscard]] double tokensFor(const TrainingCost& cost, double tokens, double money);

}  // namespace orrery
