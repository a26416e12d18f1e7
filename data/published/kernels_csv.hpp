// Reads measured kernels and collectives from a table with the columns of kernels.csv (docs/validation.md).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/published/csv_table.hpp"
#include "model/calibrate/calibration.hpp"

namespace orrery {

struct KernelsCsv {
    Samples samples;
    std::map<std::string, int> skipped;  ///< reason -> rows
};

/// Whether the header is that of a table of kernels.
[[nodiscard]] bool looksLikeKernelsCsv(const CsvTable& table);

/// Every row that holds a device, a shape and a time becomes a sample. Throws InputError with the line when a number
/// is malformed or negative.
[[nodiscard]] KernelsCsv readKernelsCsv(const CsvTable& table);

/// Catalog name of the GPU that a source means: "H100-class (sm_90, device not named)" is taken for an H100-SXM. The
/// list is in docs/model.md, "Device names". Empty when the text names no GPU.
[[nodiscard]] std::string catalogDeviceName(std::string_view text);

/// Sets the clock ratio of laws whose samples are kernels timed one by one (XLA's tables): SimuMax's B200 table holds
/// both states of one board, 1450 TFLOP/s for short GEMMs and 1100 for those that last, a ratio of 0.76; other boards
/// are assumed to lose as much.
void assumeTrainingClocks(Calibration& calibration);

/// Boards that take the laws of a measured one of their architecture, for those of `calibration` that lack their own.
[[nodiscard]] std::vector<StandIn> standInsFor(const Calibration& calibration);

}  // namespace orrery
