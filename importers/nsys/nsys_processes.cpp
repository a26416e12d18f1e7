#include "importers/nsys/nsys_processes.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "importers/nsys/global_id.hpp"
#include "importers/nsys/rank_hints.hpp"

namespace orrery::importers {

void NsysProcesses::findWorkers(NsysDatabase& database) {
    std::set<std::int64_t> workers;
    auto rows = database.read("CUPTI_ACTIVITY_KIND_KERNEL", {"globalPid"});
    rows.uncounted();
    while (rows.next()) workers.insert(rows.integer(0));
    for (const auto worker : workers) static_cast<void>(rankId(worker));
}

std::int64_t NsysProcesses::rankId(std::int64_t globalId) {
    const std::int64_t key = processOf(globalId);
    if (last_ != nullptr && key == lastKey_) return last_->rankId;
    const auto [entry, fresh] = processes_.try_emplace(key);
    if (fresh) {
        RankRow row;
        row.file = file_;
        row.source = "nsys";
        row.pid = pidOf(globalId);
        entry->second.rankId = out_.addRank(row);
    }
    lastKey_ = key;
    last_ = &entry->second;
    return last_->rankId;
}

std::optional<std::int64_t> NsysProcesses::knownRankId(std::int64_t globalId) const {
    if (processes_.empty()) return std::nullopt;
    const auto found = processes_.find(processOf(globalId));
    return found == processes_.end() ? processes_.begin()->second.rankId : found->second.rankId;
}

void NsysProcesses::sawDevice(std::int64_t globalId, std::int64_t device, std::int64_t stream) {
    static_cast<void>(rankId(globalId));
    last_->streams.emplace(device, stream);
}

void NsysProcesses::sawTime(std::int64_t first, std::int64_t last) {
    firstTime_ = std::min(firstTime_.value_or(first), first);
    lastTime_ = std::max(lastTime_.value_or(last), last);
}

void NsysProcesses::named(std::int64_t globalId, std::string_view threadName) {
    static_cast<void>(rankId(globalId));
    if (const auto rank = rankInThreadName(threadName)) last_->rank = rank;
}

void NsysProcesses::findRanks(NsysDatabase& database, const NcclCalls& calls) {
    for (auto& [key, process] : processes_) {
        const auto world = calls.world(key);
        if (!world) continue;
        if (!process.rank) process.rank = world->rank;
        process.worldSize = world->size;
    }
    if (processes_.size() != 1) return;  // what follows is said of the launched process only
    Process& process = processes_.begin()->second;
    const RankHint hint = rankInEnvironment(database);
    if (!process.rank) process.rank = hint.rank;
    if (!process.worldSize) process.worldSize = hint.worldSize;
    if (!process.rank) process.rank = rankInFileName(file_);
}

/// Unix time of time 0. Events count from the start of the session, or are times of the system's clock: then the
/// session's own start on that clock is known, and every event lies behind it.
std::optional<std::int64_t> NsysProcesses::clockOffset(NsysDatabase& database) const {
    auto rows = database.read("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs", "systemClockNs"});
    if (!rows.next() || rows.isNull(0) || !firstTime_) return std::nullopt;
    const std::int64_t utc = rows.integer(0);
    const auto clock = rows.optionalInteger(1);
    if (utc <= 0 || !isTime(utc) || (clock && !isTime(*clock))) return std::nullopt;
    constexpr std::int64_t kSlack = 1'000'000'000;
    if (clock && *clock > 0 && *firstTime_ >= *clock - kSlack) return utc - *clock;
    return utc;
}

void NsysProcesses::writeDevices(NsysDatabase& database) {
    struct Gpu {
        std::string name;
        std::optional<std::int64_t> memory, multiprocessors;
    };
    std::map<std::int64_t, Gpu> gpus;
    std::map<std::int64_t, std::int64_t> gpuOfDevice;  // of products that say it here
    auto rows = database.read("TARGET_INFO_GPU", {"id", "name", "totalMemory", "smCount", "cuDevice"});
    while (rows.next()) {
        gpus[rows.integer(0)] = {std::string(rows.text(1)), rows.optionalInteger(2), rows.optionalInteger(3)};
        gpuOfDevice[rows.optionalInteger(4).value_or(rows.integer(0))] = rows.integer(0);
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> gpuOfProcess;  // by pid and device
    auto devices = database.read("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, 3);
    while (devices.next()) gpuOfProcess[{devices.integer(2), devices.integer(1)}] = devices.integer(0);

    for (const auto& [key, process] : processes_) {
        std::optional<std::int64_t> previous;
        for (const auto& [device, stream] : process.streams) {
            out_.addStream(process.rankId, device, stream, "");
            if (previous == device) continue;
            previous = device;
            std::optional<std::int64_t> id;
            if (const auto exact = gpuOfProcess.find({key & 0xFFFFFF, device}); exact != gpuOfProcess.end()) {
                id = exact->second;
            } else if (const auto guess = gpuOfDevice.find(device); guess != gpuOfDevice.end()) {
                id = guess->second;
            }
            const auto gpu = id ? gpus.find(*id) : gpus.end();
            if (gpu == gpus.end()) {
                out_.addDevice(process.rankId, device, "");
            } else {
                out_.addDevice(process.rankId, device, gpu->second.name, gpu->second.memory,
                               gpu->second.multiprocessors);
            }
        }
    }
}

bool NsysProcesses::finish(NsysDatabase& database, const NcclCalls& calls, std::vector<Warning>& warnings) {
    findRanks(database, calls);
    writeDevices(database);
    std::string host;
    auto environment = database.read("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, 2, "WHERE name='Hostname'");
    if (environment.next()) host = environment.text(1);  // the only row of that table that a profile may hold
    const auto offset = clockOffset(database);
    if (!offset && !processes_.empty()) {
        warnings.push_back(
            {"the start of the session in unix time is not in the export; clocks of several reports "
             "cannot be aligned",
             1, true});
    }
    bool allKnown = true;
    for (auto& [key, process] : processes_) {
        RankRow row;
        row.file = file_;
        row.source = "nsys";
        row.pid = key & 0xFFFFFF;
        row.host = host;
        row.rank = process.rank;
        row.worldSize = process.worldSize;
        row.clockOffset = offset.value_or(0);
        row.baseTime = offset;
        out_.updateRank(process.rankId, row);
        allKnown = allKnown && process.rank.has_value();
    }
    for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
        auto rows = database.read(table, {"name", "value"}, 2);
        while (rows.next()) {
            if (processes_.empty()) break;
            const std::int64_t first = processes_.begin()->second.rankId;
            if (rows.text(0) == "EXPORT_PRODUCT_VERSION") out_.addMetadata(first, "nsys.version", rows.text(1));
            if (rows.text(0) == "EXPORT_SCHEMA_VERSION") out_.addMetadata(first, "nsys.schema", rows.text(1));
        }
    }
    auto names = database.read("PROCESSES", {"globalPid", "name"}, 2);
    while (names.next()) {
        const auto found = processes_.find(processOf(names.integer(0)));
        if (found != processes_.end()) out_.addMetadata(found->second.rankId, "process", names.text(1));
    }
    auto threads = database.read("ThreadNames", {"globalTid", "nameId"}, 2);
    while (threads.next()) {
        const auto found = processes_.find(processOf(threads.integer(0)));
        if (found == processes_.end()) continue;
        out_.addThread(found->second.rankId, tidOf(threads.integer(0)), database.string(threads.integer(1)));
    }
    return allKnown;
}

}  // namespace orrery::importers
