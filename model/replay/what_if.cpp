#include "model/replay/what_if.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

std::optional<int> integer(std::string_view text) {
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

int indexBelow(std::string_view number, int limit, std::string_view text, std::string_view what) {
    const auto value = integer(number);
    if (value && *value >= 0 && *value < limit) return *value;
    throw InputError(fmt::format("'{}': the job has {} 0 to {}", text, what, limit - 1));
}

double mean(const std::vector<double>& values) {
    return values.empty() ? 0.0
                          : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The middle value; of an even number the mean of the two in the middle.
double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

}  // namespace

bool WhatIfTarget::contains(const ReplayGraph& graph, const ReplayOp& candidate) const {
    const auto& type = graph.type(candidate);
    switch (kind) {
        case Kind::all:
            return true;
        case Kind::compute:
            return isCompute(type);
        case Kind::comm:
            return !isCompute(type);
        case Kind::dpRank:
            return candidate.dp == dp;
        case Kind::stage:
            return candidate.stage == stage;
        case Kind::worker:
            return candidate.dp == dp && candidate.stage == stage;
        case Kind::op:
            return type.name == op || type.family == op;
    }
    return false;
}

WhatIfTarget parseWhatIfTarget(std::string_view text, const ReplayGraph& graph) {
    const auto colon = text.find(':');
    const auto kind = text.substr(0, colon);
    const auto value = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    WhatIfTarget target;
    using Kind = WhatIfTarget::Kind;
    if (colon == std::string_view::npos) {
        if (kind == "all" || kind == "compute" || kind == "comm") {
            target.kind = kind == "all" ? Kind::all : kind == "compute" ? Kind::compute : Kind::comm;
            return target;
        }
    } else if (kind == "rank") {
        target.kind = Kind::dpRank;
        target.dp = indexBelow(value, graph.job().dp, text, "DP ranks");
        return target;
    } else if (kind == "stage") {
        target.kind = Kind::stage;
        target.stage = indexBelow(value, graph.job().pp, text, "stages");
        return target;
    } else if (kind == "worker") {
        const auto comma = std::min(value.find(','), value.size());
        target.kind = Kind::worker;
        target.dp = indexBelow(value.substr(0, comma), graph.job().dp, text, "DP ranks");
        target.stage = indexBelow(value.substr(std::min(comma + 1, value.size())), graph.job().pp, text, "stages");
        return target;
    } else if (kind == "op") {
        target.kind = Kind::op;
        target.op = value;
        std::set<std::string> names;
        for (const auto& type : graph.job().types) names.insert({type.name, type.family});
        if (names.contains(target.op)) return target;
        throw InputError(fmt::format("'{}': the job has no such op; it has {}", text, fmt::join(names, ", ")));
    }
    throw InputError(
        fmt::format("'{}': not known; write compute, comm, all, rank:R, stage:S, worker:R,S or op:NAME", text));
}

std::vector<double> evenDurations(const ReplayGraph& graph) {
    const auto& job = graph.job();
    std::vector<std::vector<double>> byType(job.types.size());
    for (std::size_t id = 0; id < job.ops.size(); ++id) byType[job.ops[id].type].push_back(graph.recorded()[id]);
    std::vector<double> typical(job.types.size());
    for (std::size_t t = 0; t < typical.size(); ++t) {
        typical[t] = isCompute(job.types[t]) ? mean(byType[t]) : median(std::move(byType[t]));
    }
    std::vector<double> durations(job.ops.size());
    for (std::size_t id = 0; id < durations.size(); ++id) durations[id] = typical[job.ops[id].type];
    return durations;
}

std::vector<double> replaced(const ReplayGraph& graph, std::vector<double> durations, const WhatIfTarget& target,
                             const std::vector<double>& replacement) {
    for (std::size_t id = 0; id < durations.size(); ++id) {
        if (target.contains(graph, graph.job().ops[id])) durations[id] = replacement[id];
    }
    return durations;
}

std::vector<double> scaled(const ReplayGraph& graph, std::vector<double> durations, const WhatIfTarget& target,
                           double factor) {
    for (std::size_t id = 0; id < durations.size(); ++id) {
        if (target.contains(graph, graph.job().ops[id])) durations[id] *= factor;
    }
    return durations;
}

double meanStep(const std::vector<double>& steps) {
    return mean(steps);
}

}  // namespace orrery
