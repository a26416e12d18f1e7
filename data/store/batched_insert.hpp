// Inserts rows of integers several at a time: most of the cost of a single insert is starting and ending the statement.
// Internal to data/store.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "data/store/statement.hpp"

namespace orrery {

/// For a table whose first column is its INTEGER PRIMARY KEY, which only this object fills, followed by `Columns`
/// integer columns. Rows wait until kRows are there or flush() is called; errors of the database come from either.
template <std::size_t Columns>
class BatchedInsert {
  public:
    using Row = std::array<std::optional<std::int64_t>, Columns>;

    BatchedInsert() = default;
    BatchedInsert(const SQLite::Database& db, const std::string& table)
        : one_(db, sql(table, 1)), many_(db, sql(table, kRows)) {}

    /// The id that the row has, or will have once it is written.
    std::int64_t add(const Row& row) {
        waiting_[count_++] = row;
        if (count_ == kRows) {
            for (std::size_t i = 0; i < kRows; ++i) bind(many_, i, waiting_[i]);
            anyBound_ = true;
            count_ = 0;
            many_.run();
        }
        return ++lastId_;
    }

    void flush() {
        const std::size_t rows = count_;
        count_ = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t column = 0; column < Columns; ++column)
                one_.bind(static_cast<int>(column) + 1, waiting_[i][column]);
            one_.run();
        }
    }

  private:
    static constexpr std::size_t kRows = 8;

    static std::string sql(const std::string& table, std::size_t rows) {
        std::string values = "(NULL";
        for (std::size_t column = 0; column < Columns; ++column) values += ",?";
        values += ')';
        std::string text = "INSERT INTO " + table + " VALUES" + values;
        for (std::size_t row = 1; row < rows; ++row) text += ',' + values;
        return text;
    }

    /// Values stay bound from one execution to the next; most columns repeat (rank, device, thread), so most need none.
    void bind(Statement& statement, std::size_t index, const Row& row) {
        for (std::size_t column = 0; column < Columns; ++column) {
            auto& bound = bound_[index][column];
            if (anyBound_ && bound == row[column]) continue;
            bound = row[column];
            statement.bind(static_cast<int>(index * Columns + column) + 1, row[column]);
        }
    }

    Statement one_, many_;
    std::array<Row, kRows> waiting_, bound_;
    std::size_t count_ = 0;
    std::int64_t lastId_ = 0;
    bool anyBound_ = false;
};

}  // namespace orrery
