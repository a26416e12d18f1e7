#include "data/published/validation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/published/measured_step.hpp"
#include "data/published/training_row_to_scenario.hpp"
#include "model/predict/prediction.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// A refusal without the row's own numbers, so that equal reasons are counted together.
std::string reasonOf(const InputError& error, const TrainingRow& row) {
    std::string text = error.what();
    if (const std::size_t at = text.find(row.place + ": "); at == 0) text.erase(0, row.place.size() + 2);
    return text;
}

ValidatedRow predictRow(const TrainingRow& row, const GpuLookup& lookup, const RuntimeLookup& runtimes,
                        const Calibration& calibration) {
    ValidatedRow out;
    out.id = row.id;
    out.source = row.source();
    out.skipped = whyNotPredictable(row);
    if (!out.skipped.empty()) return out;
    const MeasuredStep measured = *measuredStep(row);
    out.basis = measured.basis;
    out.measuredStep = measured.step.value();
    try {
        RowScenario mapped = toScenario(row, lookup);
        out.assumptions = std::move(mapped.assumptions);
        mapped.scenario.calibration = calibration;
        mapped.scenario.runtime = runtimes(mapped.framework, mapped.scenario.cluster.gpu.name);
        const Prediction prediction = predict(mapped.scenario);
        out.breakdown = prediction.breakdown;
        out.predictedStep = prediction.metrics.step.value();
        out.errorPercent = 100.0 * (out.predictedStep / out.measuredStep - 1.0);
        const auto fuller = [](const auto& a, const auto& b) { return a.memory.total() < b.memory.total(); };
        out.memory = std::max_element(prediction.stages.begin(), prediction.stages.end(), fuller)->memory;
        constexpr double kGib = 1073741824.0;
        out.predictedPeakGib = prediction.metrics.peakMemory.value() / kGib;
        if (row.peakMemory) {
            out.measuredPeakGib = *row.peakMemory;
            out.memoryErrorPercent = 100.0 * (*out.predictedPeakGib / *row.peakMemory - 1.0);
        }
    } catch (const InputError& error) {
        out.skipped = reasonOf(error, row);
    }
    return out;
}

SourceErrors summarise(const std::string& source, const std::vector<const ValidatedRow*>& rows) {
    SourceErrors sum;
    sum.source = source;
    std::vector<double> errors, memory;
    for (const ValidatedRow* row : rows) {
        if (!row->skipped.empty()) {
            ++sum.skipped;
            continue;
        }
        errors.push_back(std::abs(row->errorPercent));
        sum.bias += row->errorPercent;
        if (row->memoryErrorPercent) memory.push_back(std::abs(*row->memoryErrorPercent));
    }
    sum.n = static_cast<int>(errors.size());
    if (!memory.empty()) {
        sum.memoryRows = static_cast<int>(memory.size());
        sum.memoryMean = std::accumulate(memory.begin(), memory.end(), 0.0) / static_cast<double>(memory.size());
    }
    if (errors.empty()) return sum;
    std::sort(errors.begin(), errors.end());
    const auto n = static_cast<double>(errors.size());
    sum.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / n;
    const std::size_t middle = errors.size() / 2;
    sum.median = errors.size() % 2 == 1 ? errors[middle] : 0.5 * (errors[middle - 1] + errors[middle]);
    sum.p95 = errors[static_cast<std::size_t>(std::ceil(0.95 * n)) - 1];
    sum.max = errors.back();
    sum.bias /= n;
    return sum;
}

}  // namespace

Validation validateRows(const std::vector<TrainingRow>& rows, const GpuLookup& lookup, const RuntimeLookup& runtimes,
                        const Calibration& calibration) {
    Validation result;
    result.rows.reserve(rows.size());
    std::map<std::string, std::vector<const ValidatedRow*>> bySource;
    for (const TrainingRow& row : rows) {
        result.rows.push_back(predictRow(row, lookup, runtimes, calibration));
        const ValidatedRow& last = result.rows.back();
        if (!last.skipped.empty()) ++result.skipReasons[last.skipped];
        bySource[last.source].push_back(&last);
    }
    int counted = 0;
    for (const auto& [source, members] : bySource) {
        result.summary.push_back(summarise(source, members));
        if (result.summary.back().n == 0) continue;
        result.meanOfMedians += result.summary.back().median;
        ++counted;
    }
    if (counted > 0) result.meanOfMedians /= counted;
    return result;
}

}  // namespace orrery
