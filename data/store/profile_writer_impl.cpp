#include "data/store/profile_writer_impl.hpp"

#include <atomic>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "model/units/input_error.hpp"

namespace orrery {

extern const std::string_view kProfileSchemaSql;

namespace {

/// A name beside the target that no other writer of this or another process uses.
std::filesystem::path besideOf(const std::filesystem::path& target) {
    static std::atomic<int> serial{0};
    return target.string() + fmt::format(".partial-{}-{}", ::getpid(), serial.fetch_add(1));
}

/// Errors name `target`, the file that the user asked for.
SQLite::Database create(const std::filesystem::path& file, const std::filesystem::path& target, WriteMode mode) {
    try {
        SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX);
        // A live file must outlive its process, not a power cut: the log goes to the page cache at every commit.
        db.exec(mode == WriteMode::live
                    ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
                    : "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;");
        db.exec(fmt::format("PRAGMA application_id={}; BEGIN;", kProfileApplicationId));
        db.exec(std::string(kProfileSchemaSql));
        db.exec(fmt::format("PRAGMA user_version={}; COMMIT;", kProfileSchemaVersion));
        // Readers know a profile by the header of the file itself: move it there before a kill can leave it in the log.
        if (mode == WriteMode::live) db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return db;
    } catch (const SQLite::Exception& error) {
        throw InputError(fmt::format("{}: cannot be written ({}); name a file in a folder that exists and is writable",
                                     target.string(), error.what()));
    }
}

}  // namespace

ProfileWriter::Impl::Impl(std::filesystem::path file, WriteMode writeMode)
    : target(std::move(file)),
      writing(writeMode == WriteMode::atomic ? besideOf(target) : target),
      mode(writeMode),
      db(create(writing, target, writeMode)) {
    const auto prepare = [this](const char* sql) { return Statement(db, sql); };
    insertString = prepare("INSERT INTO strings(text) VALUES(?)");
    insertRank = prepare(
        "INSERT INTO ranks(file,source,rank,world_size,host,pid,clock_offset_ns,clock_uncertainty_ns,base_time_ns) "
        "VALUES(?,?,?,?,?,?,?,?,?)");
    updateRank = prepare(
        "UPDATE ranks SET file=?,source=?,rank=?,world_size=?,host=?,pid=?,clock_offset_ns=?,"
        "clock_uncertainty_ns=?,base_time_ns=? WHERE id=?");
    insertDevice = prepare("INSERT OR REPLACE INTO devices VALUES(?,?,?,?,?)");
    insertStream = prepare("INSERT OR REPLACE INTO streams VALUES(?,?,?,?)");
    kernels = BatchedInsert<11>(db, "kernels");
    copies = BatchedInsert<9>(db, "copies");
    ranges = BatchedInsert<11>(db, "ranges");
    insertThread = prepare("INSERT OR REPLACE INTO threads VALUES(?,?,?)");
    closeRange = prepare("UPDATE ranges SET duration_ns=?, end_thread=? WHERE id=?");
    insertSchema = prepare("INSERT INTO payload_schemas VALUES(NULL,?,?)");
    insertField = prepare("INSERT INTO payload_fields VALUES(?,?,?,?)");
    insertPayload = prepare("INSERT INTO payloads VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insertGroup = prepare("INSERT INTO process_groups VALUES(NULL,?,?,?,?,?)");
    insertCollective = prepare("INSERT INTO collectives VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?)");
    insertStep = prepare("INSERT INTO steps VALUES(?,?,?,?)");
    insertClock = prepare("INSERT INTO clock_samples VALUES(?,?,?,?,?,?)");
    insertMeasurement = prepare("INSERT INTO measurements VALUES(NULL,?,?,?,?,?,?,?,?,?,?)");
    removeLoss = prepare("DELETE FROM losses WHERE rank_id=? AND kind=?");
    insertLoss = prepare("INSERT INTO losses VALUES(?,?,?)");
    insertMetadata = prepare("INSERT INTO metadata VALUES(?,?,?)");
    insertApiCall = prepare("INSERT INTO api_calls VALUES(NULL,?,?,?,?,?,?)");
    insertSynchronization = prepare("INSERT INTO synchronizations VALUES(NULL,?,?,?,?,?,?,?,?)");
    insertCudaEvent = prepare("INSERT INTO cuda_events VALUES(NULL,?,?,?,?,?,?,?)");
    insertOverhead = prepare("INSERT INTO profiling_overheads VALUES(?,?,?,?,?)");
    insertExternal = prepare("INSERT INTO external_correlations VALUES(?,?,?,?)");
    insertGpuClock = prepare("INSERT INTO gpu_clock_samples VALUES(?,?,?,?)");
    insertWindow = prepare("INSERT INTO capture_windows VALUES(?,?,?,?)");
    removeMetadata = prepare("DELETE FROM metadata WHERE rank_id=? AND key=?");
    db.exec("BEGIN");
}

ProfileWriter::Impl::~Impl() {
    if (mode == WriteMode::live) {
        try {
            flush();
        } catch (const std::exception&) {  // the disk failed; what was committed is safe
            static_cast<void>(0);
        }
        db.tryExec("COMMIT");
        // One plain file from here on, also for readers that may not write beside it. Fails while one is reading.
        db.tryExec("PRAGMA journal_mode=DELETE");
    } else if (!finished) {
        std::error_code ignored;
        std::filesystem::remove(writing, ignored);
    }
}

}  // namespace orrery
