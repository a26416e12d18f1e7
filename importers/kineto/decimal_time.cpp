#include "importers/kineto/decimal_time.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace orrery::importers {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// Rare forms ("1.2e+06"): a double is exact enough for what prints them, and is checked against the range.
std::optional<std::int64_t> throughDouble(std::string_view text) {
    double microseconds = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), microseconds);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    const double nanoseconds = microseconds * 1e3;
    if (!(std::abs(nanoseconds) < 9.2e18)) return std::nullopt;
    return std::llround(nanoseconds);
}

}  // namespace

std::optional<std::int64_t> nanosecondsFromMicroseconds(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    const std::string_view whole = text;
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max() / 10 - 9;
    std::int64_t value = 0;
    std::size_t at = 0;
    while (at < text.size() && isDigit(text[at])) {
        if (value > kLimit) return std::nullopt;
        value = value * 10 + (text[at++] - '0');
    }
    if (at == 0) return std::nullopt;
    int decimals = 0;
    bool roundUp = false;
    if (at < text.size() && text[at] == '.') {
        for (++at; at < text.size() && isDigit(text[at]); ++at) {
            if (decimals < 3) {
                if (value > kLimit) return std::nullopt;
                value = value * 10 + (text[at] - '0');
                ++decimals;
            } else if (decimals == 3) {
                roundUp = text[at] >= '5';
                ++decimals;
            }
        }
    }
    if (at != text.size()) return throughDouble(whole);
    for (int missing = std::min(decimals, 3); missing < 3; ++missing) {
        if (value > kLimit) return std::nullopt;
        value *= 10;
    }
    if (roundUp) ++value;
    return negative ? -value : value;
}

}  // namespace orrery::importers
