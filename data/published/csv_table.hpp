// Comma-separated values by RFC 4180: quoted fields, doubled quotes, line breaks inside quotes, CRLF or LF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery {

class CsvTable;

/// One record, with typed access by column name. Errors name the file, the line and the column.
class CsvRow {
  public:
    CsvRow(const CsvTable& table, std::size_t index) : table_(&table), index_(index) {}

    /// Text of the cell; throws InputError when the table has no such column.
    [[nodiscard]] std::string_view text(std::string_view column) const;
    /// Nothing when the cell is blank; throws InputError when it is not a number.
    [[nodiscard]] std::optional<double> number(std::string_view column) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view column) const;
    /// "file:line", for messages.
    [[nodiscard]] std::string place() const;

  private:
    const CsvTable* table_;
    std::size_t index_;
};

/// A whole file with a header line, in memory.
class CsvTable {
  public:
    /// Throws InputError: not readable, empty, a quote left open, a record with another number of fields than the
    /// header.
    static CsvTable read(const std::filesystem::path& file);
    /// `name` is used in messages only.
    static CsvTable parse(std::string name, std::string_view text);

    [[nodiscard]] bool hasColumn(std::string_view column) const;
    [[nodiscard]] std::size_t size() const { return records_.size(); }
    [[nodiscard]] CsvRow row(std::size_t index) const { return {*this, index}; }

  private:
    friend class CsvRow;
    struct Record {
        std::size_t line = 0;  ///< of its first character, from 1
        std::vector<std::string> cells;
    };

    std::string name_;
    std::unordered_map<std::string, std::size_t> columns_;
    std::vector<Record> records_;
};

}  // namespace orrery
