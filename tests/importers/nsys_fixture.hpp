// Small Nsight Systems exports of our own making: a schema of choice and the rows of choice.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "data/store/profile.hpp"
#include "importers/import_paths.hpp"
#include "tests/support/temp_folder.hpp"

namespace orrery::test {

/// Serialized ids as the product makes them: machine 1, a process, a thread.
inline std::int64_t globalId(std::int64_t pid, std::int64_t tid = 0) {
    return (std::int64_t{1} << 48) | pid << 24 | tid;
}

class NsysFixture {
  public:
    explicit NsysFixture(std::string name = "report.sqlite") : file_(folder_ / name) {
        db_ = std::make_unique<SQLite::Database>(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        sql("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)");
    }
    NsysFixture& sql(const std::string& text) {
        db_->exec(text);
        return *this;
    }
    /// Tables of a 2026 export, as far as the tests fill them.
    NsysFixture& tables() {
        return sql(
            "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
            "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
            " greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName "
            "INTEGER,"
            " shortName INTEGER, graphNodeId INTEGER);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,"
            " globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
            "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER,"
            " color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,"
            " binaryData TEXT);"
            "CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER,"
            " text TEXT, globalPid INTEGER);");
    }
    std::int64_t string(const std::string& text) {
        SQLite::Statement insert(*db_, "INSERT INTO StringIds(value) VALUES(?)");
        insert.bind(1, text);
        insert.exec();
        return db_->getLastInsertRowid();
    }
    NsysFixture& kernel(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t correlation,
                        std::int64_t pid = 7, std::int64_t device = 0, std::int64_t stream = 7) {
        const std::int64_t id = string(name);
        return sql(
            fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,contextId,streamId,"
                        "correlationId,globalPid,demangledName,shortName) VALUES({},{},{},1,{},{},{},{},{})",
                        start, end, device, stream, correlation, globalId(pid), id, id));
    }
    NsysFixture& launch(std::int64_t start, std::int64_t correlation, std::int64_t pid = 7, std::int64_t tid = 1) {
        return sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES({},{},0,{},{},{})", start, start + 1,
                               globalId(pid, tid), correlation, string("cudaLaunchKernel_v7000")));
    }
    /// A push/pop range; `payload` as an SQL literal (x'..' or NULL).
    NsysFixture& range(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t pid = 7,
                       std::int64_t tid = 1, int domain = 0, const std::string& payload = "NULL") {
        return sql(
            fmt::format("INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,domainId,binaryData) "
                        "VALUES({},{},59,'{}',{},{},{})",
                        start, end, name, globalId(pid, tid), domain, payload));
    }
    /// Imports what there is now.
    Profile import() {
        {
            ProfileWriter writer(folder_ / "job.db");
            summary = importers::importPaths({file_}, writer, {});
            writer.finish();
        }
        return Profile(folder_ / "job.db");
    }
    [[nodiscard]] std::string warnings() const {
        std::string text;
        for (const auto& file : summary.files) {
            for (const auto& warning : file.result.warnings) text += warning.text + "\n";
        }
        return text;
    }
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const TempFolder& folder() const { return folder_; }

    importers::ImportSummary summary;

  private:
    TempFolder folder_;
    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> db_;
};

}  // namespace orrery::test
