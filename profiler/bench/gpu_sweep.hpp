// Matrix products and copies on the first GPU, through libraries that are opened at run time, as a table that
// orrery calibrate reads (columns as published tables of kernels have them).
#pragma once

#include <filesystem>

#include "profiler/bench/sweep.hpp"

namespace orrery::bench {

/// Products in bf16 with fp32 inside (cuBLAS) and copies within the device's memory: means over launches between two
/// CUDA events, after a warm-up, the median of `repeats`. Throws InputError where no driver, GPU or cuBLAS is usable.
void sweepGpu(SweepSize size, int repeats, const std::filesystem::path& table);

}  // namespace orrery::bench
