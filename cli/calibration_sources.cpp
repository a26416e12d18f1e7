#include "cli/calibration_sources.hpp"

#include <fstream>

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/temporary_profile.hpp"
#include "cli/warnings.hpp"
#include "data/published/kernels_csv.hpp"
#include "data/store/profile.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

void append(CalibrationInput& into, Samples samples, const std::map<std::string, int>& skipped) {
    const auto move = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    move(into.samples.kernels, samples.kernels);
    move(into.samples.collectives, samples.collectives);
    move(into.samples.hostGaps, samples.hostGaps);
    for (const auto& [reason, count] : skipped) into.skipped[reason] += count;
}

/// A CSV table begins with a line of several column names.
bool looksLikeCsv(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string header;
    std::getline(in, header);
    return header.find("kind,") != std::string::npos && header.find(",gpu,") != std::string::npos;
}

}  // namespace

CalibrationInput readCalibrationInput(const std::vector<std::filesystem::path>& files, const SampleOptions& options) {
    CalibrationInput input;
    for (const std::filesystem::path& file : files) {
        if (!std::filesystem::exists(file)) {
            throw InputError(
                fmt::format("{}: no such file; give profiles, tables of kernels or nccl-tests output", file.string()));
        }
        if (looksLikeCsv(file)) {
            KernelsCsv read = readKernelsCsv(CsvTable::read(file));
            append(input, std::move(read.samples), read.skipped);
            continue;
        }
        // A profile stands for itself; traces and nccl-tests output are imported on the way.
        const TemporaryProfile source({file}, terminalProgress());
        printWarnings(source.summary());
        ProfileSamples read = readProfileSamples(Profile(source.file()), options);
        append(input, std::move(read.samples), read.skipped);
    }
    return input;
}

}  // namespace orrery::cli
