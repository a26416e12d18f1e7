// The open database behind a Profile, with the texts and payload schemas that every row refers to. Internal to
// data/store.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "data/store/profile.hpp"
#include "data/store/statement.hpp"
#include "model/units/input_error.hpp"

namespace orrery {

/// A stored number as a class; numbers that no class has are `other`.
[[nodiscard]] inline OpClass storedOpClass(std::int64_t number) {
    return number >= 0 && number <= static_cast<std::int64_t>(OpClass::other) ? static_cast<OpClass>(number)
                                                                              : OpClass::other;
}

/// Opens read-only with hostile schemas disarmed. Throws InputError.
[[nodiscard]] SQLite::Database openUntrusted(const std::filesystem::path& file);

struct Profile::Impl {
    std::filesystem::path file;
    SQLite::Database db;
    std::unordered_map<std::int64_t, std::string> strings;
    std::unordered_map<std::int64_t, std::pair<std::string, std::vector<PayloadField>>> schemas;

    explicit Impl(const std::filesystem::path& path) : file(path), db(openUntrusted(path)) {
        try {
            Statement text = prepare("SELECT id, text FROM strings");
            while (text.next()) strings.emplace(text.integer(0), text.text(1));
            Statement schema = prepare("SELECT id, name_id FROM payload_schemas");
            while (schema.next()) schemas[schema.integer(0)].first = lookup(schema.integer(1));
            Statement field = prepare("SELECT schema_id, name, type FROM payload_fields ORDER BY schema_id, position");
            while (field.next()) {
                schemas[field.integer(0)].second.push_back({std::string(field.text(1)), std::string(field.text(2))});
            }
        } catch (const std::runtime_error& error) {
            throw InputError(
                fmt::format("{}: the profile is damaged ({}); record or import again", file.string(), error.what()));
        }
    }

    [[nodiscard]] Statement prepare(const std::string& sql) const { return {db, sql}; }
    [[nodiscard]] std::string_view lookup(std::int64_t id) const {
        const auto found = strings.find(id);
        return found == strings.end() ? std::string_view{} : std::string_view(found->second);
    }

    /// Ranges with their payloads, from `FROM ...` with the aliases r and p.
    void eachRange(const std::string& from, const std::function<void(const RangeView&)>& visit) const;

    /// Files of an older schema version lack the newer tables.
    [[nodiscard]] bool has(std::string_view table) const {
        bool found = false;
        query(fmt::format("SELECT 1 FROM sqlite_master WHERE type='table' AND name='{}'", table),
              [&](const Statement&) { found = true; });
        return found;
    }

    /// Runs `read` over all rows of a query, turning database errors into InputError.
    template <typename Read>
    void query(const std::string& sql, Read read) const {
        try {
            Statement rows = prepare(sql);
            while (rows.next()) read(rows);
        } catch (const InputError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw InputError(
                fmt::format("{}: the profile is damaged ({}); record or import again", file.string(), error.what()));
        }
    }
};

}  // namespace orrery
