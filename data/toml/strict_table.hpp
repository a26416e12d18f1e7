// A TOML table whose every key must be known: what nobody asked for is an error with its place and the nearest known
// key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

namespace orrery {

/// Parses a file that must be a regular text file below 64 MiB. Throws InputError: unreadable, empty, binary, not TOML
/// (file:line:column).
[[nodiscard]] toml::table parseTomlFile(const std::filesystem::path& file);
/// The same for a text at hand; messages call it `name`.
[[nodiscard]] toml::table parseToml(std::string_view text, const std::string& name);

/// Reads typed values of one table. Every read marks the key as known; finish() refuses the rest.
class StrictTable {
  public:
    /// `where` names the table in messages ("[plan]"); `file` is what messages start with.
    StrictTable(const toml::table& table, std::string where, std::string file);

    /// A whole number within [low, high]; nothing when the key is absent. Throws InputError on another type or range.
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t low, std::int64_t high);
    /// A finite number within [low, high].
    std::optional<double> number(std::string_view key, double low, double high);
    std::optional<bool> boolean(std::string_view key);
    std::optional<std::string> text(std::string_view key);
    /// A text that `parse` must know; the message lists `choices`.
    template <typename Value>
    std::optional<Value> choice(std::string_view key, std::optional<Value> (*parse)(std::string_view),
                                std::string_view choices) {
        const auto value = text(key);
        if (!value) return std::nullopt;
        const auto parsed = parse(*value);
        if (!parsed) fail(key, "'" + *value + "' is not one of " + std::string(choices));
        return parsed;
    }
    const toml::table* table(std::string_view key);
    const toml::array* array(std::string_view key);

    /// What others call `key`: whoever writes about `word` is told of `key`.
    void alsoCalled(std::string_view word, std::string_view key) { synonyms_.emplace_back(word, key); }

    /// Throws InputError for the first key that nobody asked for.
    void finish() const;

    /// Throws InputError at the key's value, or at the table when the key is absent.
    [[noreturn]] void fail(std::string_view key, const std::string& what) const;
    [[noreturn]] void failAt(const toml::node& node, const std::string& what) const;
    [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  private:
    const toml::node* ask(std::string_view key);

    const toml::table& table_;
    std::string where_, file_;
    std::vector<std::string> known_;
    std::vector<std::pair<std::string, std::string>> synonyms_;
};

/// Of `candidates` the one with the smallest edit distance to `text`, if it is close enough to be meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace orrery
