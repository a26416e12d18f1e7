#include "importers/nsys/nccl_calls.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "importers/nsys/global_id.hpp"

namespace orrery::importers {
namespace {

/// How the size that a call states becomes the full buffer of the nccl-tests convention: all-gather, reduce-scatter and
/// all-to-all are called with one rank's share (NCCL, src/collectives.cc).
enum class Size : std::uint8_t { full, share, none };

struct Operation {
    std::string_view name;
    OpClass kind = OpClass::other;
    Size size = Size::none;
};
constexpr std::array kOperations{
    Operation{"ncclAllReduce", OpClass::allReduce, Size::full},
    Operation{"ncclAllGather", OpClass::allGather, Size::share},
    Operation{"ncclReduceScatter", OpClass::reduceScatter, Size::share},
    Operation{"ncclAlltoAll", OpClass::allToAll, Size::share},
    Operation{"ncclAllToAll", OpClass::allToAll, Size::share},
    Operation{"ncclBroadcast", OpClass::broadcast, Size::full},
    Operation{"ncclBcast", OpClass::broadcast, Size::full},
    Operation{"ncclSend", OpClass::sendRecv, Size::full},
    Operation{"ncclRecv", OpClass::sendRecv, Size::full},
    Operation{"ncclReduce", OpClass::other, Size::full},
    Operation{"ncclGather", OpClass::other, Size::none},
    Operation{"ncclScatter", OpClass::other, Size::none},
};
constexpr std::array<std::string_view, 12> kOthers{
    "ncclGroupStart",           "ncclGroupEnd",  "ncclCommInitRank", "ncclCommInitRankConfig", "ncclCommInitAll",
    "ncclCommInitRankScalable", "ncclCommSplit", "ncclCommDestroy",  "ncclCommFinalize",       "ncclCommAbort",
    "ncclCommShrink",           "ncclCommCount"};
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

const Operation* operation(std::string_view name) {
    const auto* found = std::find_if(kOperations.begin(), kOperations.end(),
                                     [&](const Operation& entry) { return entry.name == name; });
    return found == kOperations.end() ? nullptr : found;
}

}  // namespace

bool NcclCalls::isCall(std::string_view name) {
    return name.starts_with("nccl") &&
           (operation(name) != nullptr || std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end());
}

void NcclCalls::add(std::int64_t thread, std::int64_t start, std::int64_t end, std::string_view name,
                    const std::optional<NcclPayload>& payload) {
    ++calls_;
    if (payload) ++withPayload_;
    if (payload && payload->communicator && payload->ranks && payload->rank) {
        communicators_[{processOf(thread), *payload->communicator}] = {*payload->rank, *payload->ranks};
    }
    const Operation* known = operation(name);
    const auto* other = std::find(kOthers.begin(), kOthers.end(), name);
    if (known == nullptr && other == kOthers.end()) return;
    threads_[thread].calls.push_back({start, end, known != nullptr ? known->name : *other, payload});
}

void NcclCalls::finish() {
    for (auto& [id, thread] : threads_) {
        std::stable_sort(thread.calls.begin(), thread.calls.end(),
                         [](const Call& a, const Call& b) { return a.start < b.start; });
        formWindows(processOf(id), thread);
        thread.calls = {};
    }
}

void NcclCalls::formWindows(std::int64_t process, Thread& thread) const {
    std::vector<const Call*> members;
    int depth = 0;
    for (const auto& call : thread.calls) {
        if (call.name == "ncclGroupStart") {
            if (depth++ == 0) members.clear();
        } else if (call.name == "ncclGroupEnd") {
            if (depth > 0) --depth;
            if (depth == 0 && !members.empty())
                thread.windows.push_back({call.start, call.end, merge(process, members)});
            if (depth == 0) members.clear();
        } else if (operation(call.name) != nullptr) {
            if (depth > 0) {
                members.push_back(&call);
            } else {
                thread.windows.push_back({call.start, call.end, merge(process, {&call})});
            }
        }
    }
}

std::optional<std::int64_t> NcclCalls::ranksOf(std::int64_t process, const Call& call) const {
    if (!call.payload || !call.payload->communicator) return std::nullopt;
    const auto found = communicators_.find({process, *call.payload->communicator});
    return found == communicators_.end() ? std::nullopt : std::optional(found->second.size);
}

/// A group's size is the sum over its calls; of sends and receives the larger of the two sums. What one member does not
/// say, the group does not say.
NcclLaunch NcclCalls::merge(std::int64_t process, const std::vector<const Call*>& members) const {
    NcclLaunch launch;
    launch.kind = operation(members.front()->name)->kind;
    launch.groupSize = ranksOf(process, *members.front());
    if (members.front()->payload) {
        launch.communicator = members.front()->payload->communicator;
        launch.peer = members.front()->payload->peer;
    }
    std::int64_t sent = 0;
    std::int64_t received = 0;
    bool known = true;
    for (const Call* call : members) {
        const Operation& op = *operation(call->name);
        if (op.kind != launch.kind) launch.kind = OpClass::other;
        if (!call->payload || call->payload->communicator != launch.communicator) {
            launch.communicator = launch.groupSize = std::nullopt;
        }
        if (!call->payload || call->payload->peer != launch.peer) launch.peer = std::nullopt;
        const auto ranks = ranksOf(process, *call);
        if (!call->payload || !call->payload->bytes || op.size == Size::none || (op.size == Size::share && !ranks)) {
            known = false;
            continue;
        }
        std::int64_t& sum = op.name == "ncclRecv" ? received : sent;
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(*call->payload->bytes, op.size == Size::share ? *ranks : 1, &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum) || sum > kMostBytes) {
            known = false;
            sum = 0;
        }
    }
    if (known) launch.bytes = std::max(sent, received);
    return launch;
}

NcclLaunch* NcclCalls::at(std::int64_t thread, std::int64_t time) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return nullptr;
    auto& windows = found->second.windows;
    auto after = std::upper_bound(windows.begin(), windows.end(), time,
                                  [](std::int64_t t, const Window& window) { return t < window.start; });
    if (after == windows.begin()) return nullptr;
    Window& window = *std::prev(after);
    return time <= window.end ? &window.launch : nullptr;
}

std::optional<NcclCalls::World> NcclCalls::world(std::int64_t process) const {
    std::optional<World> largest;
    for (auto entry = communicators_.lower_bound({process, std::numeric_limits<std::int64_t>::min()});
         entry != communicators_.end() && entry->first.first == process; ++entry) {
        if (!largest || entry->second.size > largest->size) largest = entry->second;
    }
    return largest;
}

}  // namespace orrery::importers
