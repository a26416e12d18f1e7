// The open database behind a ProfileWriter with its prepared statements. Internal to data/store.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/store/batched_insert.hpp"
#include "data/store/profile_writer.hpp"
#include "data/store/statement.hpp"

namespace orrery {

struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

struct ProfileWriter::Impl {
    std::filesystem::path target, writing;
    WriteMode mode;
    SQLite::Database db;
    BatchedInsert<11> kernels, ranges;
    BatchedInsert<9> copies;
    Statement insertString, insertRank, updateRank, insertDevice, insertStream, insertThread, closeRange, insertSchema,
        insertField, insertPayload, insertGroup, insertCollective, insertStep, insertClock, insertMeasurement,
        removeLoss, insertLoss, insertMetadata, insertApiCall, insertSynchronization, insertCudaEvent, insertOverhead,
        insertExternal, insertGpuClock, insertWindow, removeMetadata;
    std::unordered_map<std::string, std::int64_t, StringHash, std::equal_to<>> strings;
    std::int64_t rankCount = 0;
    bool finished = false;

    Impl(std::filesystem::path file, WriteMode writeMode);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Writes what waits for company.
    void flush() {
        kernels.flush();
        copies.flush();
        ranges.flush();
    }
    [[nodiscard]] std::int64_t lastId() const { return db.getLastInsertRowid(); }
};

}  // namespace orrery
