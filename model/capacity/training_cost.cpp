#include "model/capacity/training_cost.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {
constexpr double kHour = 3600.0;
constexpr double kDay = 24.0 * kHour;
constexpr double kStandardErrors = 2.0;
}  // namespace

double meanWatts(const Prediction& prediction, const Operation& operation) {
    const StepMetrics& metrics = prediction.metrics;
    const double waiting = std::clamp(metrics.bubbleFraction + metrics.exposedCommFraction, 0.0, 1.0);
    return operation.tdpWatts * (1.0 - waiting * (1.0 - operation.waitingShare));
}

TrainingCost trainingCost(const Prediction& prediction, int gpus, double tokensPerStep, double tokens,
                          const Operation& operation) {
    TrainingCost cost;
    cost.gpus = gpus;
    cost.steps = std::ceil(tokens / tokensPerStep);
    const double seconds = cost.steps * prediction.metrics.step.value() / operation.availability;
    const double spread = std::min(0.95, kStandardErrors * prediction.metrics.relativeSigma);
    cost.days = seconds / kDay;
    cost.daysLow = cost.days * (1.0 - spread);
    cost.daysHigh = cost.days * (1.0 + spread);
    cost.gpuHours = gpus * seconds / kHour;
    if (operation.tdpWatts > 0.0) {
        const double watts = meanWatts(prediction, operation) + operation.hostWattsPerGpu;
        cost.megawattHours = cost.gpuHours * watts * operation.pue / 1e6;
    }
    cost.money = cost.gpuHours * operation.pricePerGpuHour;
    cost.moneyLow = cost.money * (1.0 - spread);
    cost.moneyHigh = cost.money * (1.0 + spread);
    return cost;
}

double tokensWithin(const TrainingCost& cost, double tokens, double days) {
    return cost.days > 0.0 ? tokens * days / cost.days : 0.0;
}

double tokensFor(const TrainingCost& cost, double tokens, double money) {
    return cost.money > 0.0 ? tokens * money / cost.money : 0.0;
}

}  // namespace orrery
