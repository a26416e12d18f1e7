#include "importers/nsys/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace orrery::importers {
namespace {

constexpr std::size_t kLongestKind = 120;
constexpr std::size_t kMostWarnings = 20;
constexpr std::int64_t kWarning = 2;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL; 4 is "verbose"
constexpr std::int64_t kError = 3;

/// One line, whatever the product wrote.
std::string oneLine(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool space = static_cast<unsigned char>(c) <= 0x20;
        if (!space) {
            out.push_back(c);
        } else if (!out.empty() && out.back() != ' ') {
            out.push_back(' ');
        }
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out.substr(0, 300);
}

}  // namespace

std::optional<LossMessage> lossIn(std::string_view message) {
    static constexpr std::array<std::string_view, 8> kWords{"dropped", "lost",    "loss of",    "missing",
                                                            "not all", "discard", "incomplete", "overflow"};
    const std::string text = oneLine(message);
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool lossy = std::any_of(kWords.begin(), kWords.end(),
                                   [&](std::string_view word) { return lower.find(word) != std::string::npos; });
    if (!lossy) return std::nullopt;
    LossMessage loss;
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto number = std::find_if(text.begin(), text.end(), digit);
    const auto rest = std::find_if_not(number, text.end(), digit);
    loss.kind = std::string(text.begin(), number) + std::string(rest, text.end());
    if (number != text.end()) {
        std::int64_t count = 0;
        const char* const from = text.data() + (number - text.begin());
        if (std::from_chars(from, from + (rest - number), count).ec == std::errc{}) loss.count = count;
    }
    loss.kind = oneLine(loss.kind).substr(0, kLongestKind);
    return loss;
}

void readDiagnostics(NsysDatabase& database, ProfileWriter& out, const NsysProcesses& processes,
                     std::vector<Warning>& warnings) {
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> losses;
    std::map<std::string, std::int64_t> others;
    auto rows = database.read("DIAGNOSTIC_EVENT", {"text", "severity", "globalPid"}, 2);
    while (rows.next()) {
        const std::int64_t severity = rows.integer(1);
        const auto rank = processes.knownRankId(rows.integer(2));
        const auto loss = lossIn(rows.text(0));
        if (loss && loss->count > 0 && rank && severity <= kError) {
            losses[{*rank, loss->kind}] += std::min(loss->count, std::int64_t{1} << 50);
        } else if (!loss && (severity == kWarning || severity == kError)) {
            ++others[oneLine(rows.text(0))];
        }
    }
    for (const auto& [key, count] : losses) {
        out.setLoss(key.first, key.second, count);
        warnings.push_back({fmt::format("Nsight Systems: {} ({})", key.second, count), count});
    }
    for (const auto& [text, count] : others) {
        if (warnings.size() >= kMostWarnings) break;
        warnings.push_back({fmt::format("Nsight Systems: {}", text), count, true});
    }
}

}  // namespace orrery::importers
