// Seeded document lengths from documented distributions: the same seed gives the same documents on every platform
// (std::mt19937_64 is fixed by the standard; std::lognormal_distribution and its kin are not, so they are not used).
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

namespace orrery {

enum class LengthFamily : std::uint8_t {
    uniform,      ///< whole numbers from `minimum` to `maximum`, each equally likely
    exponential,  ///< of mean `mean`
    lognormal,    ///< ln(length) is normal with mean ln(`median`) and deviation `sigma`
    pareto,       ///< P(length > x) = (`minimum` / x)^`alpha`: a heavy tail
};

/// "uniform", "exponential", "lognormal", "pareto".
[[nodiscard]] std::optional<LengthFamily> parseLengthFamily(std::string_view text);

/// Lengths in tokens; what is drawn outside [minimum, maximum] is set to the nearer end.
struct LengthDistribution {
    LengthFamily family = LengthFamily::lognormal;
    double median = 0.0, sigma = 0.0;  ///< lognormal
    double mean = 0.0;                 ///< exponential
    double alpha = 0.0;                ///< pareto
    std::int64_t minimum = 1;
    std::int64_t maximum = 1;
};

class LengthGenerator {
  public:
    /// \pre 1 <= minimum <= maximum, and the family's parameters are positive (sigma may be 0).
    LengthGenerator(const LengthDistribution& distribution, std::uint64_t seed);

    [[nodiscard]] std::int64_t next();

  private:
    double uniform();  ///< in (0, 1), 53 bits

    LengthDistribution distribution_;
    std::mt19937_64 engine_;
};

}  // namespace orrery
