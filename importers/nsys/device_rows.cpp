#include "importers/nsys/device_rows.hpp"

#include <array>

#include <fmt/format.h>

#include "data/catalog/kernel_rules.hpp"
#include "importers/collectives/nccl_kernel.hpp"
#include "importers/nsys/global_id.hpp"

namespace orrery::importers {
namespace {

constexpr std::int64_t kNone = 0xFFFFFFFF;  // how the product writes "no event" and "no stream"

std::string_view copyName(std::int64_t kind) {
    // ENUM_CUDA_MEMCPY_OPER; spelled as in PyTorch's traces, so that copies of both line up.
    static constexpr std::array<std::string_view, 14> kNames{
        "Memcpy",      "Memcpy HtoD",     "Memcpy DtoH",     "Memcpy HtoA",    "Memcpy AtoH",
        "Memcpy AtoA", "Memcpy AtoD",     "Memcpy DtoA",     "Memcpy DtoD",    "Memcpy HtoH",
        "Memcpy PtoP", "Memcpy UVM HtoD", "Memcpy UVM DtoH", "Memcpy UVM DtoD"};
    return kind >= 0 && kind < std::ssize(kNames) ? kNames[static_cast<std::size_t>(kind)] : kNames[0];
}

std::string_view waitName(std::int64_t kind) {
    switch (kind) {  // ENUM_CUPTI_SYNC_TYPE
        case 1:
            return "Event Sync";
        case 2:
            return "Stream Wait Event";
        case 3:
            return "Stream Sync";
        case 4:
            return "Context Sync";
        default:
            return "Sync";
    }
}

}  // namespace

void DeviceRows::read(std::vector<Warning>& warnings) {
    readKernels();
    readCopies();
    readWaits();
    readEvents();
    readOverheads();
    readGraphs(warnings);
    const auto warn = [&](std::int64_t count, std::string_view what) {
        if (count > 0) warnings.push_back({fmt::format("{} {}", count, what), count});
    };
    warn(badTimes_, "rows of device work have an impossible time and are left out");
    warn(negative_, "rows of device work end before they start, taken as 0 long");
}

/// Of rows that begin with start, end, deviceId, streamId, globalPid.
std::optional<DeviceRows::Place> DeviceRows::place(const NsysRows& row) {
    Place place;
    place.start = row.integer(0);
    const std::int64_t end = row.integer(1);
    if (!isTime(place.start) || !isTime(end)) {
        ++badTimes_;
        return std::nullopt;
    }
    if (end < place.start) ++negative_;
    place.duration = std::max<std::int64_t>(0, end - place.start);
    place.device = row.integer(2);
    place.stream = row.integer(3);
    place.globalPid = row.integer(4);
    place.rankId = processes_.rankId(place.globalPid);
    processes_.sawTime(place.start, place.start + place.duration);
    return place;
}

void DeviceRows::readKernels() {
    auto rows = database_.read("CUPTI_ACTIVITY_KIND_KERNEL",
                               {"start", "end", "deviceId", "streamId", "globalPid", "demangledName", "shortName",
                                "correlationId", "graphNodeId"},
                               4);
    while (rows.next()) {
        const auto at = place(rows);
        if (!at) continue;
        const Name& name = kernelName(rows.integer(5), rows.integer(6));
        KernelRow kernel;
        kernel.rankId = at->rankId;
        kernel.device = at->device;
        kernel.stream = at->stream;
        kernel.start = at->start;
        kernel.duration = at->duration;
        kernel.nameId = name.id;
        kernel.cls = name.cls;
        kernel.correlation = rows.optionalInteger(7);
        kernel.graphNode = rows.optionalInteger(8);
        const Launch* launch = kernel.correlation ? launches_.find(at->globalPid, *kernel.correlation) : nullptr;
        if (launch != nullptr) kernel.step = launch->step;
        if (name.communicates) kernel.collectiveId = addCollective(*at, name, launch);
        processes_.sawDevice(at->globalPid, at->device, at->stream);
        out_.addKernel(kernel);
    }
}

const DeviceRows::Name& DeviceRows::kernelName(std::int64_t demangled, std::int64_t shortName) {
    const auto [entry, fresh] = names_.try_emplace(demangled);
    if (fresh) {
        std::string text(database_.string(demangled));
        if (text.empty()) text = database_.string(shortName);
        entry->second.id = out_.string(text);
        entry->second.cls = classifyKernel(text);
        entry->second.nccl = ncclKernel(text);
        entry->second.communicates = isCommunicationKernel(text) || isCollective(entry->second.cls);
    }
    return entry->second;
}

std::int64_t DeviceRows::addCollective(const Place& place, const Name& name, const Launch* launch) {
    CollectiveRow row;
    row.rankId = place.rankId;
    row.kind = name.cls;
    row.algorithm = name.nccl.algorithm;
    row.protocol = name.nccl.protocol;
    row.start = place.start;
    row.duration = place.duration;
    const NcclLaunch* call = launch == nullptr ? nullptr : launch->nccl;
    if (call != nullptr) {
        if (!isCollective(name.cls)) row.kind = call->kind;
        row.groupSize = call->groupSize;
        if (call->kernels == 1) row.bytes = call->bytes;  // one of several kernels of a group: nobody says which
        row.peer = call->peer;
        if (call->communicator) {
            const auto [entry, fresh] = groups_.try_emplace({place.rankId, *call->communicator});
            if (fresh) {
                const auto id = static_cast<std::uint64_t>(*call->communicator);
                entry->second = out_.addProcessGroup(place.rankId, fmt::format("{:#x}", id), "NCCL communicator",
                                                     call->groupSize, "");
            }
            row.groupId = entry->second;
        }
    }
    return out_.addCollective(row);
}

void DeviceRows::readCopies() {
    for (const bool isMemset : {false, true}) {
        auto rows = database_.read(
            isMemset ? "CUPTI_ACTIVITY_KIND_MEMSET" : "CUPTI_ACTIVITY_KIND_MEMCPY",
            {"start", "end", "deviceId", "streamId", "globalPid", "bytes", "copyKind", "correlationId"}, 4);
        while (rows.next()) {
            const auto at = place(rows);
            if (!at) continue;
            CopyRow copy;
            copy.rankId = at->rankId;
            copy.device = at->device;
            copy.stream = at->stream;
            copy.start = at->start;
            copy.duration = at->duration;
            copy.nameId = out_.string(isMemset ? std::string_view("Memset") : copyName(rows.integer(6)));
            if (const auto bytes = rows.optionalInteger(5); bytes && *bytes >= 0) copy.bytes = bytes;
            copy.isMemset = isMemset;
            copy.correlation = rows.optionalInteger(7);
            out_.addCopy(copy);
        }
    }
}

void DeviceRows::readWaits() {
    auto rows = database_.read(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        {"start", "end", "deviceId", "streamId", "globalPid", "syncType", "contextId", "eventId", "correlationId"}, 4);
    while (rows.next()) {
        const auto at = place(rows);
        if (!at) continue;
        SynchronizationRow row;
        row.rankId = at->rankId;
        row.context = rows.optionalInteger(6);
        if (at->stream != kNone) row.stream = at->stream;
        if (rows.integer(7) != kNone) row.event = rows.optionalInteger(7);
        row.start = at->start;
        row.duration = at->duration;
        row.nameId = out_.string(waitName(rows.integer(5)));
        row.correlation = rows.optionalInteger(8);
        out_.addSynchronization(row);
    }
}

void DeviceRows::readEvents() {
    auto rows =
        database_.read("CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                       {"deviceId", "streamId", "globalPid", "eventId", "timestamp", "contextId", "correlationId"}, 4);
    while (rows.next()) {
        CudaEventRow row;
        row.rankId = processes_.rankId(rows.integer(2));
        row.device = rows.optionalInteger(0);
        row.stream = rows.optionalInteger(1);
        row.event = rows.optionalInteger(3);
        if (const auto time = rows.optionalInteger(4); time && *time != 0 && isTime(*time)) row.time = time;
        row.context = rows.optionalInteger(5);
        row.correlation = rows.optionalInteger(6);
        out_.addCudaEvent(row);
    }
}

/// What recording itself took from the program, as the product measured it.
void DeviceRows::readOverheads() {
    for (const char* table : {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"}) {
        auto rows = database_.read(table, {"start", "end", "globalTid", "nameId"}, 4);
        while (rows.next()) {
            const auto rank = processes_.knownRankId(rows.integer(2));
            if (!rank || !isTime(rows.integer(0)) || !isTime(rows.integer(1)) || rows.integer(1) < rows.integer(0))
                continue;
            ProfilingOverheadRow row;
            row.rankId = *rank;
            row.thread = tidOf(rows.integer(2));
            row.start = rows.integer(0);
            row.duration = rows.integer(1) - rows.integer(0);
            row.nameId = out_.string(database_.string(rows.integer(3)));
            out_.addProfilingOverhead(row);
        }
    }
}

/// Without --cuda-graph-trace=node a graph is one block and its kernels are not in the report.
void DeviceRows::readGraphs(std::vector<Warning>& warnings) {
    auto rows = database_.read("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                               {"start", "end", "deviceId", "streamId", "globalPid", "graphId"}, 4);
    std::map<std::int64_t, std::int64_t> graphs;
    while (rows.next()) {
        const auto at = place(rows);
        if (!at) continue;
        addMarker(*at, fmt::format("CUDA graph {}", rows.integer(5)), "cuda_graph", RangeKind::startEnd);
        ++graphs[at->rankId];
    }
    for (const auto& [rank, count] : graphs) {
        out_.setLoss(rank, "graph_launches_without_kernels", count);
        warnings.push_back({fmt::format("{} launches of CUDA graphs hide their kernels; record with `nsys profile "
                                        "--cuda-graph-trace=node`",
                                        count),
                            count});
    }
}

void DeviceRows::addMarker(const Place& place, std::string_view name, std::string_view category, RangeKind kind) {
    RangeRow range;
    range.rankId = place.rankId;
    range.thread = place.stream;
    range.start = place.start;
    range.duration = place.duration;
    range.kind = kind;
    range.nameId = out_.string(name);
    range.categoryId = out_.string(category);
    out_.addRange(range);
}

}  // namespace orrery::importers
