#include "model/packing/length_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery {

std::optional<LengthFamily> parseLengthFamily(std::string_view text) {
    if (text == "uniform") return LengthFamily::uniform;
    if (text == "exponential") return LengthFamily::exponential;
    if (text == "lognormal") return LengthFamily::lognormal;
    if (text == "pareto") return LengthFamily::pareto;
    return std::nullopt;
}

LengthGenerator::LengthGenerator(const LengthDistribution& distribution, std::uint64_t seed)
    : distribution_(distribution), engine_(seed) {}

double LengthGenerator::uniform() {
    constexpr double kStep = 0x1p-53;
    return (static_cast<double>(engine_() >> 11U) + 0.5) * kStep;
}

// Inverse of the distribution function, but Box and Muller 1958 (Ann. Math. Statist. 29) for the normal deviate.
std::int64_t LengthGenerator::next() {
    const LengthDistribution& d = distribution_;
    const auto low = static_cast<double>(d.minimum);
    const auto high = static_cast<double>(d.maximum);
    double length = low;
    switch (d.family) {
        case LengthFamily::uniform:
            length = std::floor(low + uniform() * (high - low + 1.0));
            break;
        case LengthFamily::exponential:
            length = -d.mean * std::log(uniform());
            break;
        case LengthFamily::lognormal: {
            const double radius = std::sqrt(-2.0 * std::log(uniform()));
            length = d.median * std::exp(d.sigma * radius * std::cos(2.0 * std::numbers::pi * uniform()));
            break;
        }
        case LengthFamily::pareto:
            length = low * std::pow(uniform(), -1.0 / d.alpha);
            break;
    }
    return static_cast<std::int64_t>(std::clamp(std::round(length), low, high));
}

}  // namespace orrery
