#include "cli/warnings.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace orrery::cli {

std::size_t printWarnings(const importers::ImportSummary& summary) {
    std::size_t count = summary.warnings.size();
    for (const auto& warning : summary.warnings) fmt::print(stderr, "warning: {}\n", warning.text);
    for (const auto& file : summary.files) {
        count += file.result.warnings.size();
        for (const auto& warning : file.result.warnings) {
            fmt::print(stderr, "warning: {}: {}\n", file.file.string(), warning.text);
        }
    }
    return count;
}

}  // namespace orrery::cli
