#include "report/capacity/days_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "report/text/escape.hpp"

namespace orrery {
namespace {

constexpr double kWidth = 900, kHeight = 380, kLeft = 70, kRight = 170, kTop = 16, kBottom = 46;
/// Okabe and Ito's colours, told apart with every kind of colour vision, and dashes beside them.
constexpr std::array<std::string_view, 5> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
constexpr std::array<std::string_view, 5> kDashes{"", "7 3", "2 3", "9 3 2 3", "12 4"};

struct Axis {
    double low = std::numeric_limits<double>::infinity(), high = 0.0;
    double from = 0.0, to = 0.0;  ///< pixels

    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void widen() {
        low /= 1.15;
        high *= 1.15;
    }
    [[nodiscard]] double at(double value) const {
        return from + (to - from) * std::log(value / low) / std::log(high / low);
    }
};

/// 1, 2 and 5 times powers of ten.
std::vector<double> ticks(const Axis& axis) {
    std::vector<double> found;
    for (double decade = std::pow(10.0, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10.0) {
        for (const double step : {1.0, 2.0, 5.0}) {
            if (decade * step >= axis.low && decade * step <= axis.high) found.push_back(decade * step);
        }
    }
    return found;
}

std::string series(const CapacityPlan& plan, const std::string& device, std::size_t index, const Axis& x,
                   const Axis& y) {
    const std::string_view colour = kColours[index % kColours.size()];
    std::string line, upper, lower, dots;
    double lastX = 0.0, lastY = 0.0;
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction || row.device != device) continue;
        lastX = x.at(row.gpus);
        lastY = y.at(row.cost.days);
        line += fmt::format("{:.1f},{:.1f} ", lastX, lastY);
        upper += fmt::format("{:.1f},{:.1f} ", lastX, y.at(row.cost.daysHigh));
        lower = fmt::format("{:.1f},{:.1f} ", lastX, y.at(std::max(row.cost.daysLow, y.low))) + lower;
        dots += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{} x {}: {:.1f} days, {}"
            "</title></circle>",
            lastX, lastY, colour, row.gpus, html(row.device), row.cost.days, html(row.plan));
    }
    return fmt::format(
        "<polygon points=\"{}{}\" fill=\"{}\" opacity=\"0.18\"/><polyline points=\"{}\" fill=\"none\" "
        "stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>{}<text x=\"{:.1f}\" y=\"{:.1f}\" "
        "fill=\"{}\">{}</text>\n",
        upper, lower, colour, line, colour, kDashes[index % kDashes.size()], dots, lastX + 8, lastY + 4, colour,
        html(device));
}

}  // namespace

std::string daysChart(const CapacityPlan& plan) {
    Axis x{.from = kLeft, .to = kWidth - kRight};
    Axis y{.from = kHeight - kBottom, .to = kTop};
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction) continue;
        x.take(row.gpus);
        y.take(row.cost.days);
        y.take(row.cost.daysHigh);
    }
    if (plan.days) y.take(*plan.days);
    x.widen();
    y.widen();
    std::string out = fmt::format(
        "<svg class=\"days\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"days against number of GPUs\">\n",
        kWidth, kHeight);
    for (const double tick : ticks(y)) {
        out += fmt::format(
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/><text x=\"{3}\" "
            "y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
            x.from, x.to, y.at(tick), kLeft - 8, y.at(tick) + 4, tick);
    }
    for (const CapacityRow& row : plan.rows) {
        if (!row.prediction || (row.gpus & (row.gpus - 1)) != 0) continue;  // powers of two have room for their names
        out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x.at(row.gpus),
                           kHeight - kBottom + 18, row.gpus);
    }
    out += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">GPUs</text><text x=\"14\" y=\"{:.1f}\" "
        "transform=\"rotate(-90 14 {:.1f})\" text-anchor=\"middle\">days</text>\n",
        (x.from + x.to) / 2, kHeight - 8, kHeight / 2, kHeight / 2);
    if (plan.days) {
        out += fmt::format(
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"wanted\"/><text x=\"{3}\" "
            "y=\"{4:.1f}\" class=\"wanted\">{5:g} days</text>\n",
            x.from, x.to, y.at(*plan.days), x.from + 6, y.at(*plan.days) - 5, *plan.days);
    }
    const std::vector<std::string> devices = devicesOf(plan);
    for (std::size_t i = 0; i < devices.size(); ++i) out += series(plan, devices[i], i, x, y);
    return out + "</svg>\n";
}

}  // namespace orrery
