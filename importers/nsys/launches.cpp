#include "importers/nsys/launches.hpp"

#include "importers/nsys/global_id.hpp"

namespace orrery::importers {

void Launches::read(NsysDatabase& database, const Steps& steps, NcclCalls& calls) {
    if (steps.empty() && calls.empty()) return;
    std::unordered_map<std::int64_t, bool> launching;  // by name; most calls set attributes, query or copy
    auto rows = database.read("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "globalTid", "correlationId", "nameId"}, 3);
    while (rows.next()) {
        if (rows.isNull(2)) continue;
        const auto [name, fresh] = launching.try_emplace(rows.integer(3), true);
        if (fresh && !rows.isNull(3)) {
            const std::string_view text = database.string(rows.integer(3));
            name->second = text.empty() || text.find("Launch") != std::string_view::npos;
        }
        if (!name->second) continue;
        const std::int64_t globalTid = rows.integer(1);
        const std::int64_t start = rows.integer(0);
        Launch launch{steps.at(processOf(globalTid), start), calls.at(globalTid, start)};
        if (!launch.step && launch.nccl == nullptr) continue;
        processes_.try_emplace(processOf(globalTid), processes_.size());
        // A runtime call and the driver call inside it share the id; either lies in the same step and call.
        if (launches_.try_emplace(*key(globalTid, rows.integer(2)), launch).second && launch.nccl != nullptr)
            ++launch.nccl->kernels;
    }
}

std::optional<std::uint64_t> Launches::key(std::int64_t globalId, std::int64_t correlation) const {
    const auto process = processes_.find(processOf(globalId));
    if (process == processes_.end()) return std::nullopt;
    return process->second << 32U | (static_cast<std::uint64_t>(correlation) & 0xFFFFFFFFU);
}

const Launch* Launches::find(std::int64_t globalPid, std::int64_t correlation) const {
    const auto id = key(globalPid, correlation);
    if (!id) return nullptr;
    const auto found = launches_.find(*id);
    return found == launches_.end() ? nullptr : &found->second;
}

}  // namespace orrery::importers
