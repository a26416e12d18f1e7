#include "importers/orrery_profile/nccl_join.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "data/catalog/kernel_rules.hpp"

namespace orrery::importers {
namespace {

constexpr std::string_view kCallSchema = "orrery.nccl.call", kCommunicatorSchema = "orrery.nccl.communicator";

std::string text(const RangeView& view, std::string_view field) {
    for (std::size_t i = 0; view.fields != nullptr && i < view.fields->size() && i < view.values.size(); ++i) {
        if ((*view.fields)[i].name != field) continue;
        if (const auto* value = std::get_if<std::string>(&view.values[i])) return *value;
    }
    return {};
}

std::optional<std::int64_t> atLeast(std::optional<std::int64_t> value, std::int64_t least) {
    return value && *value >= least ? value : std::nullopt;
}

NcclPayload payloadOf(const RangeView& view) {
    NcclPayload payload;
    payload.communicator = view.integer("NCCL communicator ID");
    payload.bytes = atLeast(view.integer("Message size [bytes]"), 0);
    payload.ranks = atLeast(view.integer("No. of ranks"), 1);
    payload.rank = atLeast(view.integer("Rank"), 0);
    payload.peer = atLeast(view.integer("Peer rank"), 0);
    if (!payload.peer) payload.peer = atLeast(view.integer("Peer"), 0);
    return payload;
}

/// The function's name as the plugin is told it ("AllReduce", "Send").
OpClass kindOf(std::string_view function) {
    if (function == "Send" || function == "Recv" || function == "SendRecv") return OpClass::sendRecv;
    if (function == "Reduce") return OpClass::other;
    return classifyKernel(std::string("ncclDevKernel_").append(function));
}

}  // namespace

NcclJoin::NcclJoin(const Profile& source) {
    readRanges(source);
    readLaunches(source);
    for (auto& [id, rank] : ranks_) join(id, rank);
}

void NcclJoin::readRanges(const Profile& source) {
    source.forEachRange([&](const RangeView& view) {
        if (view.schema == kCommunicatorSchema) {
            const std::int64_t number = view.integer("communicator").value_or(0);
            communicators_[{view.rankId, number}] = {std::string(view.name), view.integer("ranks"),
                                                     view.integer("rank")};
        } else if (view.schema == kCallSchema) {
            PluginCall plugin;
            plugin.thread = view.thread;
            plugin.call.kind = kindOf(view.name);
            plugin.call.communicator = view.integer("communicator");
            plugin.call.groupSize = view.integer("ranks");
            plugin.call.bytes = atLeast(view.integer("bytes"), 0);
            plugin.call.sequence = atLeast(view.integer("sequence"), 0);
            plugin.call.peer = atLeast(view.integer("peer"), 0);
            plugin.call.algorithm = text(view, "algorithm");
            plugin.call.protocol = text(view, "protocol");
            plugin.call.dtype = text(view, "datatype");
            plugin.call.start = view.start;
            plugin.call.duration = view.duration;
            ranks_[view.rankId].plugin.push_back(std::move(plugin));
        } else if (view.duration && NcclCalls::isCall(view.name)) {
            const NcclPayload payload = payloadOf(view);
            ranks_[view.rankId].ranges.add(view.thread, view.start, view.start + *view.duration, view.name,
                                           payload.known() ? std::optional(payload) : std::nullopt);
        }
    });
    for (auto& [id, rank] : ranks_) rank.ranges.finish();
}

void NcclJoin::readLaunches(const Profile& source) {
    if (ranks_.empty()) return;
    std::set<std::pair<std::int64_t, std::int64_t>> kernels;
    source.forEachKernel([&](const KernelView& kernel) {
        if (kernel.correlation && isCommunicationKernel(kernel.name))
            kernels.insert({kernel.rankId, *kernel.correlation});
    });
    std::set<std::pair<std::int64_t, std::int64_t>> seen;  // the runtime's call and the driver's within it
    source.forEachApiCall([&](const ApiCallView& call) {
        if (!call.correlation || !kernels.contains({call.rankId, *call.correlation})) return;
        if (!seen.insert({call.rankId, *call.correlation}).second) return;
        const auto rank = ranks_.find(call.rankId);
        if (rank != ranks_.end()) rank->second.launches.push_back({call.thread, call.start, *call.correlation});
    });
}

/// NCCL tells the plugin of a call right after its kernel was launched, in the same thread (NCCL, src/enqueue.cc): the
/// plugin's calls between one launch and the next belong to the first.
void NcclJoin::join(std::int64_t rankId, Rank& rank) {
    for (const Launch& launch : rank.launches) {
        NcclCall call;
        if (NcclLaunch* range = rank.ranges.at(launch.thread, launch.start)) {
            ++range->kernels;
            call.kind = range->kind;
            call.communicator = range->communicator;
            call.groupSize = range->groupSize;
            call.peer = range->peer;
            if (range->kernels == 1) call.bytes = range->bytes;  // of several kernels nobody says which has what
            rank.calls[launch.correlation] = call;
        }
    }
    auto launches = rank.launches;
    std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) {
        return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
    });
    std::vector<PluginCall*> calls;
    for (auto& call : rank.plugin) calls.push_back(&call);
    std::stable_sort(calls.begin(), calls.end(), [](const PluginCall* a, const PluginCall* b) {
        return std::tie(a->thread, *a->call.start) < std::tie(b->thread, *b->call.start);
    });
    auto next = calls.begin();
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const Launch& launch = launches[i];
        const auto before = [&](const PluginCall* call) {
            return std::tie(call->thread, *call->call.start) < std::tie(launch.thread, launch.start);
        };
        while (next != calls.end() && before(*next)) ++next;
        auto end = next;
        const bool lastOfThread = i + 1 == launches.size() || launches[i + 1].thread != launch.thread;
        while (end != calls.end() && (*end)->thread == launch.thread &&
               (lastOfThread || *(*end)->call.start < launches[i + 1].start)) {
            ++end;
        }
        if (end - next == 1) {  // several in one launch: their bytes and kinds are kept apart from the kernel
            rank.calls[launch.correlation] = (*next)->call;
            (*next)->used = true;
        }
        next = end;
    }
    for (auto& call : rank.plugin) {
        if (!call.call.communicator) continue;
        auto& known = communicators_[{rankId, *call.call.communicator}];
        if (!known.size) known.size = call.call.groupSize;
    }
}

const NcclCall* NcclJoin::of(std::int64_t rankId, std::int64_t correlation) const {
    const auto rank = ranks_.find(rankId);
    if (rank == ranks_.end()) return nullptr;
    const auto call = rank->second.calls.find(correlation);
    return call == rank->second.calls.end() ? nullptr : &call->second;
}

std::vector<std::pair<std::int64_t, NcclCall>> NcclJoin::withoutKernel() const {
    std::vector<std::pair<std::int64_t, NcclCall>> out;
    for (const auto& [id, rank] : ranks_) {
        for (const auto& plugin : rank.plugin) {
            if (!plugin.used) out.emplace_back(id, plugin.call);
        }
    }
    return out;
}

}  // namespace orrery::importers
