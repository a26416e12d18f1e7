// A Nsight Systems export as a set of tables that may each be absent, with columns that may each be absent: products of
// 2022 to 2026 differ in both, so nothing is assumed. The file is not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <SQLiteCpp/Database.h>

#include "importers/importer.hpp"

struct sqlite3_stmt;

namespace orrery::importers {

class NsysDatabase;

/// Rows of one query. A column that the table lacks reads as NULL. Texts are valid until the next call of next().
class NsysRows {
  public:
    NsysRows() = default;
    [[nodiscard]] bool next();
    /// These rows are read a second time elsewhere and count there.
    void uncounted() { counted_ = false; }
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;  ///< 0 for NULL
    [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const;
    [[nodiscard]] std::string_view text(int column) const;  ///< empty for NULL
    [[nodiscard]] std::string_view blob(int column) const;

  private:
    friend class NsysDatabase;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    NsysDatabase* database_ = nullptr;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    std::string table_;
    std::uint64_t rows_ = 0;
    bool counted_ = true;
};

class NsysDatabase {
  public:
    /// Throws InputError: no SQLite database, no tables of Nsight Systems in it.
    NsysDatabase(const std::filesystem::path& file, const Progress& progress);

    [[nodiscard]] bool has(std::string_view table) const;
    [[nodiscard]] bool has(std::string_view table, std::string_view column) const;
    /// Columns of a table in the given order; no rows when the table is absent or lacks one of the first `required`
    /// columns. `rest` follows FROM and may name only columns that are certain to exist.
    [[nodiscard]] NsysRows read(const std::string& table, std::initializer_list<const char*> columns, int required = 1,
                                const std::string& rest = "");
    /// A text of StringIds, empty when there is none.
    [[nodiscard]] std::string_view string(std::int64_t id);

    /// Rows that went through NsysRows::next().
    [[nodiscard]] std::int64_t rowsRead() const { return static_cast<std::int64_t>(rowsRead_); }
    /// Tables whose pages are damaged: what could be read was read.
    [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  private:
    friend class NsysRows;
    void readTables();
    void estimateWork();
    void tick(bool counted);
    void prepareStrings();
    void damaged(const std::string& table, std::uint64_t row);

    std::filesystem::path file_;
    const Progress& progress_;
    SQLite::Database db_;
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> tables_;
    std::unique_ptr<sqlite3_stmt, NsysRows::Finalize> stringById_;
    std::string text_;
    std::unordered_map<std::int64_t, std::string> strings_;  // all of them, when no key leads to one
    bool stringsPrepared_ = false;
    std::uint64_t rowsRead_ = 0, ticks_ = 0, rowsExpected_ = 0, fileSize_ = 0;
    std::vector<Warning> warnings_;
};

}  // namespace orrery::importers
