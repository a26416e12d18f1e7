// A capacity plan as HTML and CSV, and its answers in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/capacity/training_cost.hpp"

namespace orrery {

/// One kind and number of GPUs.
struct CapacityRow {
    std::string name, model, device, calibration, framework;
    int gpus = 0;
    std::string plan;    ///< in words
    std::string reason;  ///< why there is no plan
    std::optional<Prediction> prediction;
    TrainingCost cost;
    Operation operation;  ///< price, power and the like of this kind
};

struct CapacityPlan {
    std::string name;
    double tokens = 0.0;
    std::optional<double> days, budget;  ///< what the run has to fit into
    std::vector<CapacityRow> rows;
};

/// Kinds of GPU that have a plan, in order of their rows.
[[nodiscard]] std::vector<std::string> devicesOf(const CapacityPlan& plan);

/// "fewest GPUs for 30 days: 768 x H100-SXM, 28.4 days (27.1-29.7)", "cheapest: ...", "for 2,000,000: 7.1e+12 tokens on
/// ...".
[[nodiscard]] std::vector<std::string> answers(const CapacityPlan& plan);

/// One self-contained file: answers, chart of days against GPUs, table, assumptions. Names are escaped.
[[nodiscard]] std::string capacityHtml(const CapacityPlan& plan);
[[nodiscard]] std::string capacityCsv(const CapacityPlan& plan);

}  // namespace orrery
