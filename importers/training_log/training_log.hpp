// What training programs print: step times, throughput, memory. Enough to judge a prediction without any trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/importer.hpp"

namespace orrery::importers {

struct LoggedStep {
    std::int64_t iteration = 0;
    double seconds = 0.0;                ///< mean over the log interval that the line closes
    std::optional<double> tflopsPerGpu;  ///< by the program's own formula
    std::optional<double> tokensPerSecondPerGpu;
    std::optional<std::int64_t> globalBatch;  ///< sequences
};

/// A timer over the ranks, mean over the last log interval.
struct LoggedTimer {
    double min = 0.0, max = 0.0;  ///< seconds
};

struct TrainingLog {
    std::string format;  ///< "Megatron-LM", "DeepSpeed", "torchtitan"
    std::vector<LoggedStep> steps;
    std::map<std::string, LoggedTimer> timers;
    std::optional<double> allocatedPeakGib, reservedPeakGib;  ///< largest of the ranks that say so
    std::int64_t skippedIterations = 0, nanIterations = 0;
    std::int64_t badLines = 0;  ///< lines of a step whose numbers cannot be read
    std::string firstBadLine;   ///< "line 12: ..."

    /// Median time of the steps after the first `skip`. \pre more than `skip` steps
    [[nodiscard]] double medianSeconds(std::size_t skip) const;
};

/// Whether a text with these first bytes is such a log.
[[nodiscard]] bool isTrainingLog(std::string_view head);

/// Reads a log, gzip or not, told apart by content: Megatron-LM (with its timers and memory lines), DeepSpeed
/// (SamplesPerSec needs the batch that its own line "train_batch_size" or `globalBatch` gives), torchtitan. Lines of
/// other programs in between are passed over. Throws InputError when there is no step in it; Cancelled.
[[nodiscard]] TrainingLog readTrainingLog(const std::filesystem::path& file, const Progress& progress,
                                          std::optional<std::int64_t> globalBatch = std::nullopt,
                                          std::optional<std::int64_t> tokensPerStepAndGpu = std::nullopt);

}  // namespace orrery::importers
