#include "importers/kineto/kineto_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "data/catalog/kernel_rules.hpp"
#include "importers/collectives/element_size.hpp"
#include "importers/collectives/nccl_kernel.hpp"
#include "importers/io/time_range.hpp"
#include "importers/kineto/categories.hpp"

namespace orrery::importers {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

/// Size in the nccl-tests convention, the full buffer: an all-gather's output, a reduce-scatter's input.
std::optional<std::int64_t> messageBytes(const KinetoCollective& collective) {
    if (!collective.inElements && !collective.outElements) return std::nullopt;
    return tensorBytes(collective.dtype,
                       std::max(collective.inElements.value_or(0), collective.outElements.value_or(0)));
}

}  // namespace

KinetoRows::KinetoRows(ProfileWriter& out, std::string file, bool hostOperators)
    : out_(out), file_(std::move(file)), hostOperators_(hostOperators) {
    RankRow rank;
    rank.file = file_;
    rank.source = "kineto";
    rankId_ = out_.addRank(rank);
}

void KinetoRows::count(const KinetoEvent& event) {
    if (lastCount_ == nullptr || event.category != lastCategory_) {
        lastCategory_ = event.category;
        lastCount_ = &events_[lastCategory_];
    }
    ++*lastCount_;
}

void KinetoRows::add(const KinetoEvent& event, std::size_t offset) {
    const bool instant = event.phase == 'i' && event.kind == KinetoCategory::instant;
    if (event.phase != 'X' && !instant) return;
    if (!event.start || !isTime(*event.start) || !isTime(event.duration.value_or(0))) return withoutTimes_.add(offset);
    if (event.duplicateKeys > 0) duplicateKeys_.add(offset);
    switch (event.kind) {
        case KinetoCategory::kernel:
            return addKernel(event);
        case KinetoCategory::memcpy:
            return addCopy(event, false);
        case KinetoCategory::memset:
            return addCopy(event, true);
        case KinetoCategory::userAnnotation:
        case KinetoCategory::gpuUserAnnotation:
        case KinetoCategory::hostOperator:
            return addRange(event);
        case KinetoCategory::synchronization:
            return addSynchronization(event);
        case KinetoCategory::apiCall:
            return addApiCall(event);
        case KinetoCategory::instant:
            return addMemoryEvent(event);
        case KinetoCategory::other:
            return;
    }
}

const KinetoRows::KernelName& KinetoRows::kernelName(std::string_view name) {
    auto [entry, fresh] = kernelNames_.try_emplace(std::string(name));
    if (fresh) entry->second = {out_.string(name), classifyKernel(name)};
    return entry->second;
}

void KinetoRows::addKernel(const KinetoEvent& event) {
    if (event.duration.value_or(0) < 0) ++negativeDurations_;
    if (!event.duration) ++withoutDurations_;
    const KernelName& name = kernelName(event.name);
    KernelRow row;
    row.rankId = rankId_;
    row.device = event.device.value_or(event.pid.value_or(-1));
    row.stream = event.stream.value_or(event.tid.value_or(-1));
    row.start = *event.start;
    row.duration = std::max<std::int64_t>(0, event.duration.value_or(0));
    row.nameId = name.id;
    row.cls = name.cls;
    row.correlation = event.correlation;
    row.graphNode = event.graphNode;
    if (row.cls == OpClass::other && !event.collective.name.empty())  // RCCL's kernels do not name what they do
        row.cls = collectiveClass(event.collective.name).value_or(OpClass::other);
    if (event.collective.known() || isCollective(row.cls)) row.collectiveId = addCollective(event, row.cls);
    devices_.insert(row.device);
    streams_.emplace(row.device, row.stream);
    overruns_.add(row.device, row.stream, row.start, row.duration);
    kernels_.push_back(row);
}

void KinetoRows::writeKernels() {
    launchSteps_.sort();
    for (auto& row : kernels_) {
        row.step = launchSteps_.stepOf(row.correlation, row.device, row.start);
        out_.addKernel(row);
    }
    kernels_ = {};
}

void KinetoRows::addCopy(const KinetoEvent& event, bool isMemset) {
    CopyRow row;
    row.rankId = rankId_;
    row.device = event.device.value_or(event.pid.value_or(-1));
    row.stream = event.stream.value_or(event.tid.value_or(-1));
    row.start = *event.start;
    row.duration = std::max<std::int64_t>(0, event.duration.value_or(0));
    row.nameId = out_.string(event.name);
    row.bytes = event.bytes;
    row.isMemset = isMemset;
    row.correlation = event.correlation;
    out_.addCopy(row);
}

void KinetoRows::addRange(const KinetoEvent& event) {
    const bool onDevice = event.kind == KinetoCategory::gpuUserAnnotation;
    RangeRow row;
    row.rankId = rankId_;
    row.thread = event.tid.value_or(-1);
    row.start = *event.start;
    row.duration = event.duration ? std::optional(std::max<std::int64_t>(0, *event.duration)) : std::nullopt;
    row.nameId = out_.string(event.name);
    row.categoryId = out_.string(onDevice                                       ? "gpu_user_annotation"
                                 : event.kind == KinetoCategory::userAnnotation ? "user_annotation"
                                                                                : event.category);
    ranges_.add(row, onDevice);
    if (event.name.starts_with(kStepPrefix)) addStep(event, onDevice);
}

void KinetoRows::addStep(const KinetoEvent& event, bool onDevice) {
    const std::string_view digits = event.name.substr(kStepPrefix.size());
    std::int64_t step = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (error != std::errc{} || stop != digits.data() + digits.size()) return;
    const std::int64_t duration = std::max<std::int64_t>(0, event.duration.value_or(0));
    if (onDevice) return launchSteps_.addDeviceStep(event.pid.value_or(-1), step, *event.start, duration);
    if (!steps_.emplace(event.name).second) {
        ++duplicateSteps_;
        return;
    }
    launchSteps_.addStep(step, *event.start, duration);
    out_.addStep({rankId_, step, *event.start, duration});
}

void KinetoRows::addSynchronization(const KinetoEvent& event) {
    SynchronizationRow row;
    row.rankId = rankId_;
    row.context = event.context;
    if (event.stream && *event.stream >= 0) row.stream = event.stream;  // -1: of no stream
    row.event = event.event;
    row.start = *event.start;
    row.duration = std::max<std::int64_t>(0, event.duration.value_or(0));
    row.nameId = out_.string(event.name);
    row.correlation = event.correlation;
    out_.addSynchronization(row);
}

void KinetoRows::addApiCall(const KinetoEvent& event) {
    if (event.correlation) launchSteps_.addLaunch(*event.correlation, *event.start);
    if (!hostOperators_) return;
    ApiCallRow row;
    row.rankId = rankId_;
    row.thread = event.tid.value_or(-1);
    row.start = *event.start;
    row.duration = std::max<std::int64_t>(0, event.duration.value_or(0));
    row.nameId = out_.string(event.name);
    row.correlation = event.correlation;
    out_.addApiCall(row);
}

/// Allocations and frees (profile_memory=True): a mark with what the allocator said.
void KinetoRows::addMemoryEvent(const KinetoEvent& event) {
    if (!event.bytes) return;
    if (memorySchema_ == 0) {
        static const std::array kFields{PayloadField{"address", "int64"}, PayloadField{"bytes", "int64"},
                                        PayloadField{"total_allocated", "int64"},
                                        PayloadField{"total_reserved", "int64"}, PayloadField{"device", "int64"}};
        memorySchema_ = out_.addPayloadSchema(std::nullopt, "kineto.memory", kFields);
    }
    RangeRow row;
    row.rankId = rankId_;
    row.thread = event.tid.value_or(-1);
    row.start = *event.start;
    row.duration = 0;
    row.kind = RangeKind::mark;
    row.nameId = out_.string(event.name);
    row.categoryId = out_.string("memory");
    PayloadRow payload{out_.addRange(row), memorySchema_, {}};
    for (const auto& value : {event.address, event.bytes, event.allocated, event.reserved, event.device}) {
        payload.values.emplace_back();
        if (value) payload.values.back() = *value;
    }
    out_.addPayload(payload);
}

std::int64_t KinetoRows::groupId(const KinetoCollective& collective) {
    auto [entry, fresh] = groups_.try_emplace(collective.groupName);
    if (fresh) {
        entry->second = out_.addProcessGroup(rankId_, collective.groupName, collective.groupDescription,
                                             collective.groupSize, normalizeRanks(collective.groupRanks));
    }
    return entry->second;
}

std::optional<std::int64_t> KinetoRows::addCollective(const KinetoEvent& event, OpClass cls) {
    CollectiveRow row;
    row.rankId = rankId_;
    row.kind = isCollective(cls) ? cls : collectiveClass(event.collective.name).value_or(cls);
    const NcclKernel kernel = ncclKernel(event.name);
    row.algorithm = kernel.algorithm;
    row.protocol = kernel.protocol;
    row.bytes = messageBytes(event.collective);
    row.groupSize = event.collective.groupSize;
    row.dtype = event.collective.dtype;
    row.sequence = event.collective.sequence;
    row.peer = event.collective.destination ? event.collective.destination : event.collective.source;
    if (!event.collective.groupName.empty()) row.groupId = groupId(event.collective);
    row.start = event.start;
    row.duration = event.duration;
    return out_.addCollective(row);
}

void KinetoRows::finish(const KinetoHeader& header, std::vector<Warning>& warnings) {
    RankRow rank;
    rank.file = file_;
    rank.source = "kineto";
    rank.rank = header.rank;
    rank.worldSize = header.worldSize;
    rank.baseTime = header.baseTime;
    rank.clockOffset = header.baseTime.value_or(0);  // without a base, times are unix times already
    out_.updateRank(rankId_, rank);
    writeKernels();
    ranges_.write(out_);

    for (const auto& device : header.devices) {
        out_.addDevice(rankId_, device.id, device.name, device.memoryBytes, device.multiprocessors);
        devices_.erase(device.id);
    }
    for (const auto device : devices_) out_.addDevice(rankId_, device, "");
    for (const auto& [device, stream] : streams_) out_.addStream(rankId_, device, stream, "");
    for (const auto& group : header.groups) {
        if (!groups_.contains(group.name))
            out_.addProcessGroup(rankId_, group.name, group.description, group.size, group.ranks);
    }
    if (!header.ncclVersion.empty()) out_.addMetadata(rankId_, "nccl_version", header.ncclVersion);
    if (!header.backend.empty()) out_.addMetadata(rankId_, "backend", header.backend);
    std::int64_t total = 0;
    for (const auto& [category, events] : events_) {
        total += events;
        if (!category.empty()) out_.addMetadata(rankId_, "events." + category, std::to_string(events));
    }
    out_.addMetadata(rankId_, "events", std::to_string(total));
    const auto report = [&](std::int64_t count, std::string_view what) {
        if (count > 0) warnings.push_back({fmt::format("{} {}", count, what), count});
    };
    out_.setLoss(rankId_, "events_without_time", withoutTimes_.count);
    out_.setLoss(rankId_, "kernels_without_duration", withoutDurations_);
    const std::int64_t overruns = overruns_.count();
    out_.setLoss(rankId_, "kernels_overrunning_their_stream", overruns);
    withoutTimes_.warn(
        withoutTimes_.count == 1 ? "has no readable time and is left out" : "have no readable time and are left out",
        warnings);
    duplicateKeys_.warn(duplicateKeys_.count == 1 ? "gives an argument twice, the last is taken"
                                                  : "give an argument twice, the last is taken",
                        warnings);
    report(withoutDurations_, "kernels have no duration, taken as 0");
    report(negativeDurations_, "kernels have a negative duration, taken as 0");
    report(overruns, "kernels run on through most of what follows them on their stream; their durations cannot be");
    report(duplicateSteps_, "steps appear twice; the first is kept");
}

}  // namespace orrery::importers
