#include "data/store/untrusted_database.hpp"

#include <sqlite3.h>

namespace orrery {

SQLite::Database openUntrustedDatabase(const std::filesystem::path& file) {
    constexpr int kLongestValue = 64 << 20;
    SQLite::Database db(file.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX);
    sqlite3* raw = db.getHandle();
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kLongestValue);
    db.tryExec("PRAGMA query_only=ON; PRAGMA cell_size_check=ON; PRAGMA mmap_size=268435456;");
    return db;
}

}  // namespace orrery
