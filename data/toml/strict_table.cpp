#include "data/toml/strict_table.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{64} << 20U;

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates) {
    std::optional<std::string> best;
    std::size_t bestDistance = std::max<std::size_t>(2, text.size() / 2);
    for (const auto& candidate : candidates) {
        const std::size_t distance = editDistance(text, candidate);
        if (distance <= bestDistance && (!best || distance < bestDistance)) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

toml::table parseTomlFile(const std::filesystem::path& file) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) {
        throw InputError(fmt::format("{}: no such file; name a TOML file", file.string()));
    }
    if (std::filesystem::file_size(file) > kLargestFile) {
        throw InputError(
            fmt::format("{}: larger than {} MiB; this is no scenario", file.string(), kLargestFile >> 20U));
    }
    std::ifstream in(file, std::ios::binary);
    if (!in) throw InputError(fmt::format("{}: cannot be read; check its permissions", file.string()));
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return parseToml(text, file.string());
}

toml::table parseToml(std::string_view text, const std::string& name) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw InputError(fmt::format("{}: the file is empty; see examples/ for a scenario", name));
    }
    if (text.find('\0') != std::string::npos) {
        throw InputError(fmt::format("{}: binary content, not TOML; name a scenario file", name));
    }
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        throw InputError(fmt::format("{}:{}:{}: not TOML: {}", name, error.source().begin.line,
                                     error.source().begin.column, error.description()));
    }
}

StrictTable::StrictTable(const toml::table& table, std::string where, std::string file)
    : table_(table), where_(std::move(where)), file_(std::move(file)) {}

const toml::node* StrictTable::ask(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
}

void StrictTable::failAt(const toml::node& node, const std::string& what) const {
    const auto& place = node.source().begin;
    throw InputError(fmt::format("{}:{}:{}: {}", file_, place.line, place.column, what));
}

void StrictTable::fail(std::string_view key, const std::string& what) const {
    const toml::node* node = table_.get(key);
    failAt(node != nullptr ? *node : table_, fmt::format("{} in {}: {}", key, where_, what));
}

std::optional<std::int64_t> StrictTable::integer(std::string_view key, std::int64_t low, std::int64_t high) {
    const toml::node* node = ask(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_integer();
    if (value == nullptr) fail(key, "must be a whole number");
    if (value->get() < low || value->get() > high) {
        fail(key, fmt::format("{} is outside {} to {}", value->get(), low, high));
    }
    return value->get();
}

std::optional<double> StrictTable::number(std::string_view key, double low, double high) {
    const toml::node* node = ask(key);
    if (node == nullptr) return std::nullopt;
    const std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value) fail(key, "must be a number");
    if (!(*value >= low && *value <= high)) fail(key, fmt::format("{} is outside {} to {}", *value, low, high));
    return value;
}

std::optional<bool> StrictTable::boolean(std::string_view key) {
    const toml::node* node = ask(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) fail(key, "must be true or false");
    return node->value<bool>();
}

std::optional<std::string> StrictTable::text(std::string_view key) {
    const toml::node* node = ask(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) fail(key, "must be a text in quotes");
    return node->value<std::string>();
}

const toml::table* StrictTable::table(std::string_view key) {
    const toml::node* node = ask(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) fail(key, "must be a table");
    return node->as_table();
}

const toml::array* StrictTable::array(std::string_view key) {
    const toml::node* node = ask(key);
    if (node == nullptr) return nullptr;
    if (!node->is_array()) fail(key, "must be a list");
    return node->as_array();
}

void StrictTable::finish() const {
    for (const auto& [key, value] : table_) {
        if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
        std::vector<std::string> words = known_;
        for (const auto& [word, of] : synonyms_) words.push_back(word);
        auto meant = nearest(key.str(), words);
        for (const auto& [word, of] : synonyms_) {
            if (meant == word) meant = of;
        }
        const auto& place = key.source().begin;
        throw InputError(fmt::format(
            "{}:{}:{}: unknown key '{}' in {}; {}", file_, place.line, place.column, key.str(), where_,
            meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("known are {}", fmt::join(known_, ", "))));
    }
}

}  // namespace orrery
