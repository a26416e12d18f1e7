#include "data/lengths/lengths_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "data/lengths/binary_lengths.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 31U;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30U;
constexpr std::uintmax_t kLargestBinaryFile = std::uintmax_t{1} << 34U;

std::optional<std::int64_t> inRange(std::int64_t length) {
    if (length < 1 || length > kLongest) return std::nullopt;
    return length;
}

/// Characters of UTF-8: bytes that do not continue one.
double characters(const std::string& text) {
    return static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::optional<std::int64_t> fromJson(const std::string& line, double charactersPerToken) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) return std::nullopt;
    if (const auto text = object.find("text"); charactersPerToken > 0.0 && text != object.end() && text->is_string()) {
        const double tokens = characters(text->get_ref<const std::string&>()) / charactersPerToken;
        return inRange(std::max<std::int64_t>(1, std::llround(tokens)));
    }
    for (const char* key : {"length", "tokens", "num_tokens"}) {
        const auto field = object.find(key);
        if (field != object.end() && field->is_number_integer()) return inRange(field->get<std::int64_t>());
    }
    return std::nullopt;
}

std::optional<std::int64_t> fromText(const std::string& line) {
    const auto end = line.find_first_of(", \t;\r");
    const char* last = line.data() + (end == std::string::npos ? line.size() : end);
    std::int64_t length = 0;
    const auto [stop, error] = std::from_chars(line.data(), last, length);
    if (error != std::errc() || stop != last) return std::nullopt;
    return inRange(length);
}

}  // namespace

std::vector<std::int64_t> readLengths(const std::filesystem::path& file, double charactersPerToken) {
    std::error_code failed;
    std::ifstream in(file, std::ios::binary);
    if (!in || !std::filesystem::is_regular_file(file, failed)) {
        throw InputError(fmt::format("{}: no such file; name a list of document lengths", file.string()));
    }
    const LengthsFormat format = lengthsFormat(in);
    const auto bytes = std::filesystem::file_size(file);
    if (format != LengthsFormat::text) {
        if (bytes > kLargestBinaryFile)
            throw InputError(fmt::format("{}: larger than 16 GiB; give a sample of the lengths", file.string()));
        std::vector<std::int64_t> lengths =
            format == LengthsFormat::numpy ? readNumpy(in, file.string()) : readMegatronIndex(in, file.string());
        if (lengths.empty()) throw InputError(fmt::format("{}: holds no document lengths", file.string()));
        return lengths;
    }
    if (bytes > kLargestFile) {
        throw InputError(fmt::format("{}: larger than 1 GiB; give a sample of the lengths", file.string()));
    }
    std::vector<std::int64_t> lengths;
    std::size_t number = 0;
    bool headerSeen = false;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto start = line.find_first_not_of(" \t\r");
        if (start == std::string::npos || line[start] == '#') continue;
        line.erase(0, start);
        const auto length = line.front() == '{' ? fromJson(line, charactersPerToken) : fromText(line);
        if (length) {
            lengths.push_back(*length);
            continue;
        }
        const bool words =
            line.find_first_of("0123456789{") == std::string::npos && line.find('\0') == std::string::npos;
        if (!words || headerSeen || !lengths.empty()) {
            throw InputError(
                fmt::format("{}:{}: not a length; give a whole number of tokens, 1 or more, or JSON with \"length\" "
                            "(\"text\" needs "
                            "characters_per_token)",
                            file.string(), number));
        }
        headerSeen = true;
    }
    if (lengths.empty()) throw InputError(fmt::format("{}: holds no document lengths", file.string()));
    return lengths;
}

}  // namespace orrery
