#include "importers/nsys/nsys_database.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <sqlite3.h>

#include "data/store/untrusted_database.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::uint64_t kRowsBetweenChecks = 16384;
constexpr std::array kBigTables{"NVTX_EVENTS",
                                "CUPTI_ACTIVITY_KIND_RUNTIME",
                                "CUPTI_ACTIVITY_KIND_KERNEL",
                                "CUPTI_ACTIVITY_KIND_MEMCPY",
                                "CUPTI_ACTIVITY_KIND_MEMSET",
                                "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                "CUPTI_ACTIVITY_KIND_CUDA_EVENT"};

SQLite::Database open(const std::filesystem::path& file) {
    try {
        return openUntrustedDatabase(file);
    } catch (const SQLite::Exception& error) {
        throw InputError(fmt::format("{}: cannot be opened ({}); export it again", file.string(), error.what()));
    }
}

}  // namespace

void NsysRows::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

bool NsysRows::next() {
    if (!statement_) return false;
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        ++rows_;
        database_->tick(counted_);
        return true;
    }
    if (code != SQLITE_DONE) database_->damaged(table_, rows_);
    statement_.reset();
    return false;
}

bool NsysRows::isNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t NsysRows::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::optional<std::int64_t> NsysRows::optionalInteger(int column) const {
    if (isNull(column)) return std::nullopt;
    return integer(column);
}

std::string_view NsysRows::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view NsysRows::blob(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

NsysDatabase::NsysDatabase(const std::filesystem::path& file, const Progress& progress)
    : file_(file), progress_(progress), db_(open(file)) {
    std::error_code ignored;
    fileSize_ = std::filesystem::file_size(file, ignored);
    readTables();
    const bool events =
        std::any_of(kBigTables.begin(), kBigTables.end(), [&](const char* table) { return has(table); });
    if (!events && !has("META_DATA_EXPORT") && !has("EXPORT_META_DATA")) {
        throw InputError(
            fmt::format("{}: an SQLite database without tables of Nsight Systems; name an export made by `nsys export "
                        "--type=sqlite`",
                        file.string()));
    }
    estimateWork();
}

/// Real tables only: a view or a virtual table (no root page) is not what the product writes.
void NsysDatabase::readTables() {
    try {
        std::vector<std::string> names;
        SQLite::Statement master(db_, "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0");
        while (master.executeStep()) names.push_back(master.getColumn(0).getString());
        for (const auto& name : names) {
            auto& columns = tables_[name];
            SQLite::Statement info(db_, "SELECT name FROM pragma_table_info(?)");
            info.bind(1, name);
            while (info.executeStep()) columns.insert(info.getColumn(0).getString());
        }
    } catch (const SQLite::Exception& error) {
        throw InputError(fmt::format("{}: damaged ({}); export it again", file_.string(), error.what()));
    }
}

void NsysDatabase::estimateWork() {
    for (const char* table : kBigTables) {
        if (!has(table)) continue;
        sqlite3_stmt* raw = nullptr;
        const std::string sql = fmt::format("SELECT max(rowid) FROM \"{}\"", table);
        if (sqlite3_prepare_v2(db_.getHandle(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) continue;
        const std::unique_ptr<sqlite3_stmt, NsysRows::Finalize> statement(raw);
        if (sqlite3_step(raw) == SQLITE_ROW) {
            rowsExpected_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, sqlite3_column_int64(raw, 0)));
        }
    }
}

bool NsysDatabase::has(std::string_view table) const {
    return tables_.find(table) != tables_.end();
}

bool NsysDatabase::has(std::string_view table, std::string_view column) const {
    const auto found = tables_.find(table);
    return found != tables_.end() && found->second.find(column) != found->second.end();
}

NsysRows NsysDatabase::read(const std::string& table, std::initializer_list<const char*> columns, int required,
                            const std::string& rest) {
    NsysRows rows;
    if (!has(table)) return rows;
    std::string sql = "SELECT ";
    int position = 0;
    for (const char* column : columns) {
        const bool known = has(table, column);
        if (!known && position < required) return rows;
        if (position++ > 0) sql += ',';
        sql += known ? fmt::format("\"{}\"", column) : std::string("NULL");
    }
    sql += fmt::format(" FROM \"{}\" {}", table, rest);
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(db_.getHandle(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
        damaged(table, 0);
        return rows;
    }
    rows.statement_.reset(raw);
    rows.database_ = this;
    rows.table_ = table;
    return rows;
}

/// The product declares id as the primary key, which makes a text a look-up by row number. Tables that were copied by
/// other tools may have lost the key; a search for every id would then never end.
void NsysDatabase::prepareStrings() {
    stringsPrepared_ = true;
    if (!has("StringIds", "id") || !has("StringIds", "value")) return;
    const auto prepare = [&](const char* sql) {
        sqlite3_stmt* raw = nullptr;
        static_cast<void>(sqlite3_prepare_v2(db_.getHandle(), sql, -1, &raw, nullptr));
        return std::unique_ptr<sqlite3_stmt, NsysRows::Finalize>(raw);
    };
    const auto key =
        prepare("SELECT 1 FROM pragma_table_info('StringIds') WHERE name='id' AND pk=1 AND type LIKE 'INTEGER'");
    if (key && sqlite3_step(key.get()) == SQLITE_ROW) {
        stringById_ = prepare("SELECT value FROM StringIds WHERE id=?");
        return;
    }
    auto rows = read("StringIds", {"id", "value"}, 2);
    while (rows.next()) strings_.try_emplace(rows.integer(0), rows.text(1));
}

std::string_view NsysDatabase::string(std::int64_t id) {
    if (!stringsPrepared_) prepareStrings();
    if (!stringById_) {
        const auto found = strings_.find(id);
        return found == strings_.end() ? std::string_view{} : std::string_view(found->second);
    }
    text_.clear();
    sqlite3_bind_int64(stringById_.get(), 1, id);
    if (sqlite3_step(stringById_.get()) == SQLITE_ROW) {
        const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(stringById_.get(), 0));
        if (data != nullptr) text_.assign(data, static_cast<std::size_t>(sqlite3_column_bytes(stringById_.get(), 0)));
    }
    sqlite3_reset(stringById_.get());
    return text_;
}

void NsysDatabase::tick(bool counted) {
    if (counted) ++rowsRead_;
    if (++ticks_ % kRowsBetweenChecks != 0) return;
    if (progress_.isCancelled()) throw Cancelled();
    if (!progress_.report || rowsExpected_ == 0) return;
    const double done = static_cast<double>(rowsRead_) / static_cast<double>(rowsExpected_);
    progress_.report(static_cast<std::uint64_t>(std::min(done, 1.0) * static_cast<double>(fileSize_)), fileSize_);
}

void NsysDatabase::damaged(const std::string& table, std::uint64_t row) {
    warnings_.push_back({fmt::format("table {} is damaged behind row {} ({}); the rest of it is not read", table, row,
                                     sqlite3_errmsg(db_.getHandle()))});
}

}  // namespace orrery::importers
