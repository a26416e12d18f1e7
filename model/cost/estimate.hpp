// An answer of the cost model: how long, how sure, and on what grounds.
#pragma once

#include <cstdint>

#include "model/units/quantity.hpp"

namespace orrery {

enum class EstimateSource : std::uint8_t { measured, fitted, dataSheet };

struct Estimate {
    Seconds time{};
    double relativeSigma = 0.0;  ///< standard error of ln(time), from the residuals of the fit
    EstimateSource source = EstimateSource::dataSheet;
    double distance = 0.0;  ///< to the nearest sample, in log2(size); 0 when measured, infinite without samples
};

/// Standard error of ln(time) of an answer that only a data sheet supports: the spread of the fitted efficiencies over
/// GPUs and libraries (docs/model.md, "Kernel time").
inline constexpr double kDataSheetSigma = 0.25;

}  // namespace orrery
