#include "importers/nccl_tests/result_line.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace orrery::importers {
namespace {

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> out;
    std::size_t at = 0;
    while (at < line.size()) {
        at = line.find_first_not_of(" \t\r", at);
        if (at == std::string_view::npos) break;
        const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        out.push_back(line.substr(at, end - at));
        at = end;
    }
    return out;
}

std::optional<double> number(std::string_view text) {
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

bool isErrorColumn(std::string_view text) {
    return text == "N/A" || number(text).has_value();
}

/// time, algbw, busbw at `at`; nothing when these are no finite numbers.
std::optional<SweepHalf> half(const std::vector<std::string_view>& columns, std::size_t at) {
    if (at + 3 > columns.size()) return std::nullopt;
    const auto time = number(columns[at]);
    const auto algbw = number(columns[at + 1]);
    const auto busbw = number(columns[at + 2]);
    if (!time || !algbw || !busbw || !(*time > 0.0) || !std::isfinite(*time)) return std::nullopt;
    return SweepHalf{*time, *algbw, *busbw};
}

}  // namespace

std::string_view withoutLauncherPrefix(std::string_view line) {
    if (line.starts_with('[')) {  // mpirun --tag-output
        const std::size_t end = line.find(">:");
        if (end != std::string_view::npos && line.find('<') < end) return line.substr(end + 2);
        return line;
    }
    std::size_t at = 0;  // srun --label
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
    if (at > 0 && at < line.size() && line[at] == ':') return line.substr(at + 1);
    return line;
}

std::optional<ResultLine> parseResultLine(std::string_view line) {
    const auto columns = words(line);
    if (columns.size() < 7) return std::nullopt;
    const auto bytes = number(columns[0]);
    const auto count = number(columns[1]);
    if (!bytes || !count || number(columns[2]) || *bytes < 0.0 || *bytes > 9e18) return std::nullopt;
    ResultLine result;
    result.bytes = std::llround(*bytes);
    result.count = std::llround(*count);
    result.dtype = columns[2];
    // Between the type and the times stand an operation (a word or "none") and a root (an integer), in newer versions.
    std::size_t at = 3;
    if (at < columns.size() && !number(columns[at]) && columns[at] != "N/A") ++at;
    const std::size_t rest = columns.size() - at;
    const bool hasRoot = rest == 9 || rest == 5 || rest == 17;  // root + halves of 4 (or 8 with -I 1), or one half
    if (hasRoot) ++at;
    const std::size_t width = (columns.size() - at) % 8 == 0 && columns.size() - at >= 16 ? 8 : 4;
    result.outOfPlace = half(columns, at);
    if (at + width < columns.size() && isErrorColumn(columns[at + 3])) result.inPlace = half(columns, at + width);
    if (!result.outOfPlace && !result.inPlace) return std::nullopt;
    return result;
}

}  // namespace orrery::importers
