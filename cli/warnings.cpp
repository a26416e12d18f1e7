#include "cli/warnings.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace orrery::cli {

std::size_t printWarnings(const importers::ImportSummary& summary) {
    std::size_t count = 0;
    const auto print = [&](const std::string& place, const importers::Warning& warning) {
        fmt::print(stderr, "{}: {}{}\n", warning.advice ? "note" : "warning", place, warning.text);
        if (!warning.advice) ++count;
    };
    for (const auto& warning : summary.warnings) print("", warning);
    for (const auto& file : summary.files) {
        for (const auto& warning : file.result.warnings) print(file.file.string() + ": ", warning);
    }
    return count;
}

}  // namespace orrery::cli
