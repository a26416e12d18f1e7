// Calibrations at rest: JSON with units, sources and residuals inside (docs/model.md, "Calibration file").
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/calibrate/calibration.hpp"

namespace orrery {

inline constexpr int kCalibrationFormat = 1;

/// The calibration as JSON text; `indent` < 0 writes one line.
[[nodiscard]] std::string toJson(const Calibration& calibration, int indent = 1);

/// Throws InputError with `name` and the JSON path: not JSON, another format, a missing or negative field, an unknown
/// class, pass or data type.
[[nodiscard]] Calibration calibrationFromJson(std::string_view text, const std::string& name);

/// Throws InputError when the file cannot be read or is not a calibration.
[[nodiscard]] Calibration readCalibration(const std::filesystem::path& file);

/// Writes beside the target and renames. Throws InputError when the place cannot be written.
void writeCalibration(const Calibration& calibration, const std::filesystem::path& file);

}  // namespace orrery
