// What `orrery calibrate` accepts, told apart by content, as samples.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/samples/profile_samples.hpp"

namespace orrery::cli {

struct CalibrationInput {
    Samples samples;
    std::map<std::string, int> skipped;  ///< reason -> records
};

/// Reads profiles, tables of kernels and anything an importer knows (nccl-tests output, traces). Throws InputError for
/// a file that is none of these.
[[nodiscard]] CalibrationInput readCalibrationInput(const std::vector<std::filesystem::path>& files,
                                                    const SampleOptions& options);

}  // namespace orrery::cli
