#include "model/calibrate/fit_collectives.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/calibrate/kriging.hpp"
#include "model/calibrate/robust_fit.hpp"
#include "model/cost/collective_forms.hpp"
#include "model/cost/collective_law.hpp"

namespace orrery {
namespace {

using Key = std::tuple<std::string, OpClass, std::string, bool>;  // device, kind, link, across nodes
using SamplePointers = std::vector<const CollectiveSample*>;

/// Medians of repeats, by group and ascending size.
std::vector<CollectivePoint> mergeRepeats(const SamplePointers& samples) {
    std::map<std::tuple<int, int, double>, std::vector<double>> repeats;
    for (const CollectiveSample* s : samples)
        repeats[{s->ranks, s->nodes, s->bytes.value()}].push_back(s->time.value());
    std::vector<CollectivePoint> points;
    for (auto& [where, times] : repeats) {
        std::sort(times.begin(), times.end());
        const std::size_t middle = times.size() / 2;
        const double median = times.size() % 2 == 1 ? times[middle] : 0.5 * (times[middle - 1] + times[middle]);
        points.push_back({std::get<0>(where), std::get<1>(where), Bytes(std::get<2>(where)), Seconds(median), 0.0});
    }
    return points;
}

double busRate(OpClass kind, const CollectivePoint& point) {
    return busFactor(kind, point.ranks) * point.bytes.value() / point.time.value();
}

/// Starts: the shortest time is latency, the highest bus rate is bandwidth; regimes in between are spread over both.
std::vector<FitParameter> startingPoint(OpClass kind, const std::vector<CollectivePoint>& points, std::size_t regimes) {
    double shortest = points.front().time.value(), fastest = 0.0;
    for (const CollectivePoint& point : points) {
        shortest = std::min(shortest, point.time.value());
        fastest = std::max(fastest, busRate(kind, point));
    }
    const auto logs = [](double value, double sigma, double lower, double upper) {
        return FitParameter{std::log(value), sigma, std::log(lower), std::log(upper)};
    };
    std::vector<FitParameter> parameters;
    for (std::size_t i = 0; i < regimes; ++i) {
        const double step = static_cast<double>(regimes - 1 - i);  // 0 for the regime of the largest sizes
        parameters.push_back(logs(0.6 * shortest * std::pow(2.5, static_cast<double>(i)), 1.0, 1e-9, 10.0));
        parameters.push_back(logs(0.05 * shortest * std::pow(2.5, static_cast<double>(i)), 1.5, 1e-10, 1.0));
        parameters.push_back(logs(1.05 * fastest * std::pow(0.3, step), 0.7, 1e3, 1e14));
    }
    return parameters;
}

std::vector<CollectiveRegime> decode(const Eigen::VectorXd& values) {
    std::vector<CollectiveRegime> regimes;
    for (Eigen::Index j = 0; j < values.size(); j += 3) {
        regimes.push_back(
            {Seconds(std::exp(values[j])), Seconds(std::exp(values[j + 1])), BytesPerSecond(std::exp(values[j + 2]))});
    }
    return regimes;
}

std::vector<double> logResiduals(const CollectiveLaw& law) {
    std::vector<double> residuals;
    for (const CollectivePoint& p : law.points) {
        residuals.push_back(std::log(p.time / regimeTime(law, p.ranks, p.bytes)));
    }
    return residuals;
}

void fitRegimes(CollectiveLaw& law) {
    constexpr std::size_t kPointsForTwo = 6, kPointsForThree = 24;
    const std::size_t count = law.points.size();
    const std::size_t regimes = count >= kPointsForThree ? 3 : count >= kPointsForTwo ? 2 : 1;
    CollectiveLaw trial = law;
    const Residuals residuals = [&](const Eigen::VectorXd& values, Eigen::VectorXd& out) {
        trial.regimes = decode(values);
        const std::vector<double> logs = logResiduals(trial);
        std::copy(logs.begin(), logs.end(), out.begin());
    };
    const FitResult fit =
        robustFit(startingPoint(law.kind, law.points, regimes), static_cast<Eigen::Index>(count), residuals);
    law.regimes = decode(fit.values);
    std::sort(law.regimes.begin(), law.regimes.end(),
              [](const auto& a, const auto& b) { return a.busBandwidth < b.busBandwidth; });
}

void fitCorrection(CollectiveLaw& law) {
    const std::vector<double> residuals = logResiduals(law);
    double sum = 0.0;
    for (const double r : residuals) sum += r * r;
    law.residual = std::sqrt(sum / static_cast<double>(residuals.size()));
    std::vector<ShapePoint> places;
    for (const CollectivePoint& p : law.points) places.push_back(collectivePoint(p.ranks, p.nodes, p.bytes));
    const Kriging kriging = fitKriging(places, residuals, law.residual);
    law.reach = kriging.reach;
    law.interpolationError = kriging.leaveOneOut;
    for (std::size_t i = 0; i < law.points.size(); ++i) law.points[i].weight = kriging.weights[i];
}

}  // namespace

std::vector<CollectiveLaw> fitCollectives(std::span<const CollectiveSample> samples) {
    std::map<Key, SamplePointers> groups;
    for (const CollectiveSample& s : samples) {
        if (s.ranks < 2 || s.bytes.value() <= 0.0 || s.time.value() <= 0.0) continue;
        groups[{s.device, s.kind, s.link, s.nodes > 1}].push_back(&s);
    }
    std::vector<CollectiveLaw> laws;
    for (const auto& [key, members] : groups) {
        CollectiveLaw law;
        std::tie(law.device, law.kind, law.link, law.acrossNodes) = key;
        law.points = mergeRepeats(members);
        law.samples = static_cast<int>(members.size());
        fitRegimes(law);
        fitCorrection(law);
        laws.push_back(std::move(law));
    }
    return laws;
}

}  // namespace orrery
