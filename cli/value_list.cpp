#include "cli/value_list.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t kMostValues = 10'000;

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

void addValues(std::string_view text, std::vector<std::string>& values) {
    const std::size_t dots = text.find("..");
    const auto low = dots == std::string_view::npos ? std::nullopt : wholeNumber(text.substr(0, dots));
    const auto high = dots == std::string_view::npos ? std::nullopt : wholeNumber(text.substr(dots + 2));
    if (!low || !high) {
        values.emplace_back(text);
        return;
    }
    if (*low < 1 || *high < *low) throw InputError(fmt::format("'{}' is no range; write low..high from 1 on", text));
    for (std::int64_t value = *low; value <= *high; value *= 2) {
        values.push_back(std::to_string(value));
        if (value > *high / 2) break;
    }
}

}  // namespace

std::vector<std::string> valueList(std::string_view text) {
    std::vector<std::string> values;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '[') ++depth;
        if (i < text.size() && text[i] == ']') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        if (i == begin) throw InputError(fmt::format("'{}' has an empty value; write values between commas", text));
        addValues(text.substr(begin, i - begin), values);
        begin = i + 1;
    }
    if (values.size() > kMostValues) throw InputError(fmt::format("'{}' has more than {} values", text, kMostValues));
    return values;
}

double largeNumber(std::string_view text) {
    double factor = 1.0;
    std::string_view digits = text;
    if (!digits.empty()) {
        const std::string_view units = "KMBT";
        const std::size_t unit = units.find(static_cast<char>(digits.back() & ~0x20));
        if (unit != std::string_view::npos) {
            factor = std::pow(1000.0, static_cast<double>(unit + 1));
            digits.remove_suffix(1);
        }
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !(value > 0.0) ||
        !std::isfinite(value * factor))
        throw InputError(fmt::format("'{}' is no number above 0; write 15.6T, 300B, 500M or 2e12", text));
    return value * factor;
}

}  // namespace orrery::cli
