// SQLiteCpp's Statement with what a profile needs on top: optional values bind as NULL and NULL reads as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

namespace orrery {

/// Positions of bind() count from 1, columns from 0, as in SQLite. Errors are SQLite::Exception, a std::runtime_error.
class Statement {
  public:
    Statement() = default;
    Statement(const SQLite::Database& db, const std::string& sql) : statement_(std::in_place, db, sql) {}

    void bind(int position, std::int64_t value) { statement_->bind(position, value); }
    void bind(int position, double value) { statement_->bind(position, value); }
    void bind(int position, std::string_view text) { statement_->bind(position, std::string(text)); }
    void bindNull(int position) { statement_->bind(position); }
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
        statement_->exec();
        statement_->reset();
    }
    /// Next row; false at the end, which also readies the statement for the next use.
    bool next() {
        if (statement_->executeStep()) return true;
        statement_->reset();
        return false;
    }

    [[nodiscard]] std::int64_t integer(int column) const { return statement_->getColumn(column).getInt64(); }
    [[nodiscard]] double real(int column) const { return statement_->getColumn(column).getDouble(); }
    [[nodiscard]] int type(int column) const { return statement_->getColumn(column).getType(); }
    [[nodiscard]] bool isNull(int column) const { return statement_->isColumnNull(column); }
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const {
        if (isNull(column)) return std::nullopt;
        return integer(column);
    }
    /// Valid until the next step.
    [[nodiscard]] std::string_view text(int column) const {
        const SQLite::Column value = statement_->getColumn(column);
        const char* data = value.getText(nullptr);
        return data == nullptr ? std::string_view{}
                               : std::string_view(data, static_cast<std::size_t>(value.getBytes()));
    }

  private:
    // Reading a column does not change a statement's meaning, but SQLiteCpp's getColumn() is not const.
    mutable std::optional<SQLite::Statement> statement_;
};

}  // namespace orrery
