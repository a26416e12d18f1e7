#include "report/table/comparison_table.hpp"

#include <cmath>

#include <fmt/format.h>

#include "report/text/escape.hpp"

namespace orrery {
namespace {

std::string line(const Comparison& comparison, std::string_view indent, const TimeRow& row) {
    const std::string label = fmt::format("{}{}", indent, row.name);
    if (!comparison.hasPrediction) return fmt::format("{:<24}{:>12}\n", label, timeText(row.measured));
    return fmt::format("{:<24}{:>12}{:>12}{:>13}{:>10}\n", label, timeText(row.predicted), timeText(row.measured),
                       timeText(row.difference(), true), percentText(row.errorPercent()));
}

std::string tableText(const Comparison& comparison, const TimeTable& table) {
    const std::string where = table.rank < 0    ? "all ranks (mean)"
                              : table.stage < 0 ? fmt::format("rank {}", table.rank)
                                                : fmt::format("rank {}, stage {}", table.rank, table.stage);
    std::string out = comparison.hasPrediction ? fmt::format("{:<24}{:>12}{:>12}{:>13}{:>10}\n", where, "predicted",
                                                             "measured", "difference", "error")
                                               : fmt::format("{:<24}{:>12}\n", where, "measured");
    out += line(comparison, "", table.step);
    out += "by phase\n";
    for (const auto& row : table.phases) out += line(comparison, "  ", row);
    out += "by operator class\n";
    for (const auto& row : table.classes) out += line(comparison, "  ", row);
    return out;
}

std::string rowJson(const TimeRow& row, bool hasPrediction) {
    const auto predicted = [&](double value) { return hasPrediction ? jsonNumber(value) : std::string("null"); };
    return fmt::format(
        "{{\"name\": {}, \"predicted_s\": {}, \"measured_s\": {}, \"difference_s\": {}, \"error_pct\": {}}}",
        jsonString(row.name), predicted(row.predicted.value()), jsonNumber(row.measured.value()),
        predicted(row.difference().value()), predicted(row.errorPercent()));
}

std::string rowsJson(const std::vector<TimeRow>& rows, bool hasPrediction) {
    std::string out = "[";
    for (const auto& row : rows) {
        if (out.size() > 1) out += ", ";
        out += rowJson(row, hasPrediction);
    }
    out += "]";
    return out;
}

std::string tableJson(const TimeTable& table, bool hasPrediction) {
    const std::string who = table.rank < 0 ? "" : fmt::format("\"rank\": {}, \"stage\": {}, ", table.rank, table.stage);
    return fmt::format("{{{}\"step\": {}, \"phases\": {}, \"classes\": {}}}", who, rowJson(table.step, hasPrediction),
                       rowsJson(table.phases, hasPrediction), rowsJson(table.classes, hasPrediction));
}

}  // namespace

std::string timeText(Seconds time, bool sign) {
    const double seconds = time.value();
    const double magnitude = std::abs(seconds);
    const auto print = [&](double value, const char* unit) {
        return sign ? fmt::format("{:+.2f} {}", value, unit) : fmt::format("{:.2f} {}", value, unit);
    };
    if (magnitude >= 1.0) return print(seconds, "s");
    if (magnitude >= 1e-3) return print(seconds * 1e3, "ms");
    if (magnitude == 0.0) return "0";
    return print(seconds * 1e6, "µs");
}

std::string percentText(double percent) {
    if (!std::isfinite(percent)) return "-";
    if (std::abs(percent) >= 1000.0) return percent > 0 ? "> 999 %" : "< -999 %";
    return fmt::format("{:+.1f} %", percent);
}

std::string comparisonText(const Comparison& comparison, bool perRank) {
    std::string out = fmt::format("measured: step {}, the median of {} ({} warm-up step(s) skipped)\n\n",
                                  comparison.medianStep, comparison.steps.size(), comparison.skippedSteps);
    out += tableText(comparison, comparison.overall);
    if (perRank) {
        for (const auto& table : comparison.ranks) out.append("\n").append(tableText(comparison, table));
    }
    return out;
}

std::string comparisonJson(const Comparison& comparison) {
    std::string times, ranks, warnings, steps;
    for (const auto& time : comparison.stepTimes)
        times += fmt::format("{}{}", times.empty() ? "" : ", ", jsonNumber(time.value()));
    for (const int step : comparison.steps) steps += fmt::format("{}{}", steps.empty() ? "" : ", ", step);
    for (const auto& table : comparison.ranks) {
        ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", tableJson(table, comparison.hasPrediction));
    }
    for (const auto& warning : comparison.warnings)
        warnings += fmt::format("{}{}", warnings.empty() ? "" : ", ", jsonString(warning));
    return fmt::format(
        "{{\"step\": {}, \"median_step\": {}, \"skipped_steps\": {}, \"measured_steps\": [{}], \"measured_steps_s\": "
        "[{}],"
        "\n \"overall\": {},\n \"ranks\": [{}],\n \"warnings\": [{}]}}\n",
        rowJson(comparison.overall.step, comparison.hasPrediction), comparison.medianStep, comparison.skippedSteps,
        steps, times, tableJson(comparison.overall, comparison.hasPrediction), ranks, warnings);
}

std::string comparisonCsv(const Comparison& comparison) {
    std::string out = "rank,stage,group,name,predicted_s,measured_s,difference_s,error_pct\n";
    const auto number = [](bool known, double value) {
        return known && std::isfinite(value) ? fmt::format("{}", value) : std::string();
    };
    const auto add = [&](const TimeTable& table, std::string_view group, const TimeRow& row) {
        const bool known = comparison.hasPrediction;
        out += fmt::format("{},{},{},{},{},{},{},{}\n", table.rank < 0 ? "all" : fmt::to_string(table.rank),
                           table.stage < 0 ? "" : fmt::to_string(table.stage), group, csvField(row.name),
                           number(known, row.predicted.value()), number(true, row.measured.value()),
                           number(known, row.difference().value()), number(known, row.errorPercent()));
    };
    const auto addTable = [&](const TimeTable& table) {
        add(table, "step", table.step);
        for (const auto& row : table.phases) add(table, "phase", row);
        for (const auto& row : table.classes) add(table, "class", row);
    };
    addTable(comparison.overall);
    for (const auto& table : comparison.ranks) addTable(table);
    return out;
}

}  // namespace orrery
