// A prepared SQLite statement with typed binding; the thin layer under the profile writer and reader.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

namespace orrery {

/// Binds by position and steps. Errors of the database become std::runtime_error with SQLite's own message.
class Statement {
  public:
    Statement() = default;
    Statement(sqlite3* db, const std::string& sql) : db_(db) {
        check(sqlite3_prepare_v3(db, sql.c_str(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle_,
                                 nullptr));
    }
    ~Statement() { sqlite3_finalize(handle_); }
    Statement(Statement&& other) noexcept : db_(other.db_), handle_(std::exchange(other.handle_, nullptr)) {}
    Statement& operator=(Statement&& other) noexcept {
        std::swap(db_, other.db_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int position, std::int64_t value) { check(sqlite3_bind_int64(handle_, position, value)); }
    void bind(int position, double value) { check(sqlite3_bind_double(handle_, position, value)); }
    void bindNull(int position) { check(sqlite3_bind_null(handle_, position)); }
    /// The text must live until the next step().
    void bind(int position, std::string_view text) {
        check(sqlite3_bind_text(handle_, position, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
    }
    void bind(int position, const std::optional<std::int64_t>& value) {
        value ? bind(position, *value) : bindNull(position);
    }
    void bind(int position, const std::optional<double>& value) { value ? bind(position, *value) : bindNull(position); }
    /// Empty text becomes NULL: unknown.
    void bindTextOrNull(int position, std::string_view text) {
        text.empty() ? bindNull(position) : bind(position, text);
    }

    /// Runs a statement that returns no rows and readies it for the next use.
    void run() {
        const int code = sqlite3_step(handle_);
        sqlite3_reset(handle_);
        if (code != SQLITE_DONE && code != SQLITE_ROW) fail();
    }
    /// Next row; false at the end, which also readies the statement for the next use.
    bool next() {
        const int code = sqlite3_step(handle_);
        if (code == SQLITE_ROW) return true;
        sqlite3_reset(handle_);
        if (code != SQLITE_DONE) fail();
        return false;
    }

    [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
    [[nodiscard]] double real(int column) const { return sqlite3_column_double(handle_, column); }
    [[nodiscard]] int type(int column) const { return sqlite3_column_type(handle_, column); }
    [[nodiscard]] bool isNull(int column) const { return type(column) == SQLITE_NULL; }
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const {
        if (isNull(column)) return std::nullopt;
        return integer(column);
    }
    /// Valid until the next step.
    [[nodiscard]] std::string_view text(int column) const {
        const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
        return data == nullptr
                   ? std::string_view{}
                   : std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
    }

  private:
    void check(int code) const {
        if (code != SQLITE_OK) fail();
    }
    [[noreturn]] void fail() const { throw std::runtime_error(std::string("sqlite: ") + sqlite3_errmsg(db_)); }

    sqlite3* db_ = nullptr;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace orrery
