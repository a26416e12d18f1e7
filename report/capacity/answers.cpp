#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "report/capacity/capacity_report.hpp"

namespace orrery {
namespace {

using Measure = std::function<double(const CapacityRow&)>;

/// The row with the least of something, among those that may be chosen.
const CapacityRow* least(const CapacityPlan& plan, const Measure& measure,
                         const std::function<bool(const CapacityRow&)>& mayBe) {
    const CapacityRow* best = nullptr;
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction || !mayBe(row)) continue;
        if (best == nullptr || measure(row) < measure(*best)) best = &row;
    }
    return best;
}

std::string daysText(const CapacityRow& row) {
    return fmt::format("{} x {}, {:.1f} days ({:.1f}-{:.1f})", row.gpus, row.device, row.cost.days, row.cost.daysLow,
                       row.cost.daysHigh);
}

}  // namespace

std::vector<std::string> devicesOf(const CapacityPlan& plan) {
    std::vector<std::string> devices;
    for (const CapacityRow& row : plan.rows) {
        if (row.prediction && std::find(devices.begin(), devices.end(), row.device) == devices.end())
            devices.push_back(row.device);
    }
    return devices;
}

std::vector<std::string> answers(const CapacityPlan& plan) {
    std::vector<std::string> lines;
    const auto any = [](const CapacityRow&) { return true; };
    const auto hours = [](const CapacityRow& row) { return row.cost.gpuHours; };
    const auto money = [](const CapacityRow& row) { return row.cost.money; };
    for (const std::string& device : plan.days ? devicesOf(plan) : std::vector<std::string>()) {
        const auto inTime = [&](const CapacityRow& r) { return r.device == device && r.cost.days <= *plan.days; };
        const CapacityRow* row = least(
            plan, [](const CapacityRow& r) { return double(r.gpus); }, inTime);
        lines.push_back(row == nullptr
                            ? fmt::format("no number of {} looked at is done in {:.4g} days", device, *plan.days)
                            : fmt::format("fewest GPUs for {:.4g} days: {}{}", *plan.days, daysText(*row),
                                          row->cost.daysHigh > *plan.days
                                              ? "; the interval reaches beyond, so take more to be sure"
                                              : ""));
    }
    const bool priced = std::all_of(plan.rows.begin(), plan.rows.end(), [](const CapacityRow& row) {
        return !row.prediction || row.operation.pricePerGpuHour > 0.0;
    });
    if (plan.budget && !priced)
        lines.emplace_back("a budget needs a price: give --price or [operation] price_per_gpu_hour");
    if (plan.budget && priced) {
        const CapacityRow* row = least(plan, money, any);
        lines.push_back(fmt::format("{:.0f} buys {:.3g} tokens on {} x {}", *plan.budget,
                                    tokensFor(row->cost, plan.tokens, *plan.budget), row->gpus, row->device));
        const auto within = [&](const CapacityRow& r) { return r.cost.money <= *plan.budget; };
        const CapacityRow* fast = least(
            plan, [](const CapacityRow& r) { return r.cost.days; }, within);
        lines.push_back(fast != nullptr ? fmt::format("fastest within it: {}", daysText(*fast))
                                        : fmt::format("all {:.4g} tokens cost more than that", plan.tokens));
    }
    if (const CapacityRow* row = priced ? least(plan, money, any) : least(plan, hours, any); row != nullptr) {
        const std::string what = priced ? fmt::format("{:.0f} in all", row->cost.money)
                                        : fmt::format("{:.0f} GPU-hours", row->cost.gpuHours);
        lines.push_back(fmt::format("cheapest: {}, {}", daysText(*row), what));
    }
    if (const CapacityRow* row = least(
            plan, [](const CapacityRow& r) { return r.cost.days; }, any);
        row != nullptr)
        lines.push_back(fmt::format("fastest: {}", daysText(*row)));
    return lines;
}

}  // namespace orrery
