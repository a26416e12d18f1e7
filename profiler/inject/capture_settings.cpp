#include "profiler/inject/capture_settings.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace orrery::inject {
namespace {

using Number = std::optional<std::int64_t> CaptureSettings::*;
constexpr std::array<std::pair<std::string_view, Number>, 8> kNumbers{{{"start_step", &CaptureSettings::startStep},
                                                                       {"steps", &CaptureSettings::steps},
                                                                       {"duration", &CaptureSettings::duration},
                                                                       {"every", &CaptureSettings::every},
                                                                       {"max_time", &CaptureSettings::maxTime},
                                                                       {"max_bytes", &CaptureSettings::maxBytes},
                                                                       {"rotate", &CaptureSettings::rotate},
                                                                       {"keep", &CaptureSettings::keep}}};

std::optional<std::int64_t> integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> real(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    return !copy.empty() && end == copy.c_str() + copy.size() ? std::optional(value) : std::nullopt;
}

/// A positive number and its unit.
std::optional<std::int64_t> scaled(std::string_view text,
                                   std::initializer_list<std::pair<std::string_view, double>> units) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto value = real(text.substr(0, digits));
    if (!value || *value <= 0.0) return std::nullopt;
    for (const auto& [unit, factor] : units) {
        const double product = *value * factor;
        if (text.substr(digits) == unit && product >= 1.0 && product < 9e18) return static_cast<std::int64_t>(product);
    }
    return std::nullopt;
}

}  // namespace

bool CaptureSettings::controlled() const {
    CaptureSettings plain;
    plain.stepName = stepName;
    plain.rotate = rotate;
    plain.keep = keep;
    return *this != plain;
}

std::string captureToText(const CaptureSettings& settings) {
    std::string text;
    const auto add = [&](std::string_view key, const auto& value) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
    };
    for (const auto& [key, member] : kNumbers) {
        if (settings.*member) add(key, *(settings.*member));
    }
    if (settings.paused) add("paused", 1);
    if (settings.socket) add("socket", 1);
    if (settings.signal != 0) add("signal", settings.signal);
    if (settings.maxOverhead > 0.0) add("max_overhead", settings.maxOverhead);
    if (!settings.stepName.empty()) add("step_name", settings.stepName);  // last: it may hold commas
    return text;
}

CaptureSettings captureFromText(std::string_view text) {
    CaptureSettings settings;
    while (!text.empty()) {
        const auto equals = text.find('=');
        if (equals == std::string_view::npos) break;
        const std::string_view key = text.substr(0, equals);
        if (key == "step_name") {
            settings.stepName = text.substr(equals + 1);
            break;
        }
        const auto comma = std::min(text.find(','), text.size());
        const std::string_view value = text.substr(equals + 1, comma > equals ? comma - equals - 1 : 0);
        text.remove_prefix(std::min(comma + 1, text.size()));
        const auto number = integer(value);
        for (const auto& [name, member] : kNumbers) {
            if (key == name && number && *number >= 0) settings.*member = number;
        }
        if (key == "paused") settings.paused = number == 1;
        if (key == "socket") settings.socket = number == 1;
        if (key == "signal" && number) settings.signal = static_cast<int>(*number);
        if (key == "max_overhead") settings.maxOverhead = real(value).value_or(0.0);
    }
    return settings;
}

std::optional<std::int64_t> parseTime(std::string_view text) {
    return scaled(text, {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}});
}

std::optional<std::int64_t> parseSize(std::string_view text) {
    return scaled(text, {{"", 1.0}, {"k", 1024.0}, {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}});
}

std::optional<int> parseSignal(std::string_view text) {
    if (text.starts_with("SIG")) text.remove_prefix(3);
    if (text == "USR1") return SIGUSR1;
    if (text == "USR2") return SIGUSR2;
    const auto number = integer(text);
    if (number && *number >= SIGRTMIN && *number <= SIGRTMAX) return static_cast<int>(*number);
    return std::nullopt;
}

std::optional<double> parseShare(std::string_view text) {
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    const auto value = real(text);
    if (!value) return std::nullopt;
    const double share = percent ? *value / 100.0 : *value;
    return share > 0.0 && share < 1.0 ? std::optional(share) : std::nullopt;
}

}  // namespace orrery::inject
