#include "importers/orrery_profile/orrery_profile_importer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "data/catalog/kernel_rules.hpp"
#include "data/store/profile.hpp"
#include "importers/orrery_profile/clock_alignment.hpp"
#include "importers/orrery_profile/nccl_join.hpp"

namespace orrery::importers {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kApplicationIdOffset = 68;
constexpr std::int64_t kRowsBetweenChecks = 16384;

/// Copies one profile row by row, giving every id of the source a new one in the target.
class Merge {
  public:
    Merge(const Profile& source, ProfileWriter& out, const Progress& progress)
        : source_(source), out_(out), progress_(progress) {}

    ImportResult run() {
        copyRanks();
        copyGroups();
        copyKernels();
        finishEnds();
        copyRanges();
        copyHostCalls();
        copyRest();
        return std::move(result_);
    }

  private:
    void copyRanks() {
        const auto clocks = source_.clockSamples();
        for (const auto& rank : source_.ranks()) {
            RankRow row = rank;
            // A rank that was aligned once (an imported profile) keeps its offset; a raw record gets one from its
            // clocks.
            if (const auto alignment = alignToUnixTime(clocks, rank.id); alignment && rank.clockOffset == 0) {
                row.clockOffset = alignment->offset;
                row.clockUncertainty = alignment->uncertainty;
            }
            row.file = rank.source == "orrery" ? source_.file().filename().string() : rank.file;
            ranks_[rank.id] = out_.addRank(row);
            result_.clocks.push_back({ranks_[rank.id], row, {}});
        }
        for (auto clock : clocks) {
            clock.rankId = ranks_[clock.rankId];
            out_.addClockSample(clock);
        }
    }

    void copyGroups() {
        for (const auto& group : source_.processGroups()) {
            groups_[group.id] =
                out_.addProcessGroup(ranks_[group.rankId], group.name, group.description, group.size, group.ranks);
        }
        source_.forEachCollective([&](const CollectiveView& view) {
            CollectiveRow row = view;
            row.rankId = ranks_[view.rankId];
            if (row.groupId) row.groupId = groups_[*row.groupId];
            collectives_[view.id] = out_.addCollective(row);
            count();
        });
        if (source_.count("collectives") == 0) nccl_.emplace(source_);
        if (!nccl_) return;
        for (const auto& [key, communicator] : nccl_->communicators()) {
            communicatorGroups_[key] = addGroup(ranks_[key.first], key.second, communicator.name, communicator.size);
        }
        for (const auto& [rank, call] : nccl_->withoutKernel()) addNcclCall(rank, call, call.start, call.duration);
    }

    std::int64_t addGroup(std::int64_t rankId, std::int64_t communicator, const std::string& name,
                          std::optional<std::int64_t> size) {
        const std::string number = fmt::format("{:#x}", static_cast<std::uint64_t>(communicator));
        return out_.addProcessGroup(rankId, number, name.empty() ? "NCCL communicator" : name, size, "");
    }

    std::int64_t addNcclCall(std::int64_t sourceRank, const NcclCall& call, std::optional<std::int64_t> start,
                             std::optional<std::int64_t> duration) {
        CollectiveRow row;
        row.rankId = ranks_[sourceRank];
        row.kind = call.kind;
        row.bytes = call.bytes;
        row.groupSize = call.groupSize;
        row.dtype = call.dtype;
        row.algorithm = call.algorithm;
        row.protocol = call.protocol;
        row.sequence = call.sequence;
        row.peer = call.peer;
        row.start = start;
        row.duration = duration;
        if (call.communicator) {
            const auto [group, fresh] = communicatorGroups_.try_emplace({sourceRank, *call.communicator});
            if (fresh) group->second = addGroup(row.rankId, *call.communicator, {}, call.groupSize);
            row.groupId = group->second;
        }
        return out_.addCollective(row);
    }

    /// What the record knows of a communication kernel besides its name.
    void addCollectiveOf(const KernelView& view, KernelRow& row) {
        if (!nccl_ || !view.correlation || !isCollective(row.cls)) return;
        const NcclCall* call = nccl_->of(view.rankId, *view.correlation);
        if (call == nullptr) return;
        NcclCall merged = *call;
        merged.kind = row.cls;  // a kernel's name is what ran: a reduce-scatter may be asked for and be sends
        row.collectiveId = addNcclCall(view.rankId, merged, view.start, view.duration);
        if (call->communicator) noteEnd(view, *call);
    }

    /// All ranks of a communicator issue its collectives in the same order. Where no sequence number tells which is
    /// which, the n-th of a kind is the same on ranks that have equally many: a rank that missed some matches nobody.
    void noteEnd(const KernelView& view, const NcclCall& call) {
        if (call.kind == OpClass::broadcast || call.kind == OpClass::sendRecv || call.kind == OpClass::other) return;
        const std::int64_t end = view.start + view.duration;
        ends_[{view.rankId, *call.communicator, call.kind}].emplace_back(call.sequence, end);
    }

    void finishEnds() {
        const auto mix = [](std::uint64_t seed, std::uint64_t value) {  // as in splitmix64 (Steele et al. 2014)
            seed = (seed ^ value) * 0xBF58476D1CE4E5B9ULL;
            return seed ^ seed >> 29U;
        };
        for (const auto& [key, ends] : ends_) {
            const auto& [rank, communicator, kind] = key;
            const std::uint64_t which = mix(static_cast<std::uint64_t>(communicator), static_cast<std::uint64_t>(kind));
            std::uint64_t place = 0;
            for (const auto& [sequence, end] : ends) {
                const std::uint64_t number = sequence ? mix(mix(which, 1), static_cast<std::uint64_t>(*sequence))
                                                      : mix(mix(which, ends.size() + 2), place);
                ++place;
                for (auto& clock : result_.clocks) {
                    if (clock.rankId == ranks_[rank]) clock.collectiveEnds.emplace_back(number, end);
                }
            }
        }
    }

    void copyKernels() {
        source_.forEachKernel([&](const KernelView& view) {
            KernelRow row = view;
            row.rankId = ranks_[view.rankId];
            row.nameId = out_.string(view.name);
            if (row.cls == OpClass::other) row.cls = classOf(view.name);  // a recording does not classify
            if (row.collectiveId) {
                row.collectiveId = collectives_[*row.collectiveId];
            } else {
                addCollectiveOf(view, row);
            }
            out_.addKernel(row);
            count();
        });
        source_.forEachCopy([&](const CopyView& view) {
            CopyRow row = view;
            row.rankId = ranks_[view.rankId];
            row.nameId = out_.string(view.name);
            out_.addCopy(row);
            count();
        });
    }

    void copyRanges() {
        const bool hasSteps = source_.count("steps") > 0;
        const bool hasCollectives = source_.count("collectives") > 0;
        source_.forEachRange([&](const RangeView& view) {
            RangeRow row = view;
            row.rankId = ranks_[view.rankId];
            row.nameId = out_.string(view.name);
            if (row.domainId) row.domainId = out_.string(view.domain);
            if (row.categoryId) row.categoryId = out_.string(view.category);
            const std::int64_t id = out_.addRange(row);
            if (view.fields != nullptr) out_.addPayload({id, schemaOf(view, row.domainId), view.values});
            if (!hasSteps) addStep(view, row.rankId);
            if (!hasCollectives) addCollective(view, row.rankId);
            count();
        });
    }

    void copyHostCalls() {
        source_.forEachApiCall([&](const ApiCallView& view) { add(view, &ProfileWriter::addApiCall); });
        source_.forEachSynchronization(
            [&](const SynchronizationView& view) { add(view, &ProfileWriter::addSynchronization); });
        source_.forEachProfilingOverhead(
            [&](const ProfilingOverheadView& view) { add(view, &ProfileWriter::addProfilingOverhead); });
        source_.forEachCudaEvent([&](CudaEventRow row) {
            row.rankId = ranks_[row.rankId];
            out_.addCudaEvent(row);
            count();
        });
        source_.forEachExternalCorrelation([&](ExternalCorrelationRow row) {
            row.rankId = ranks_[row.rankId];
            out_.addExternalCorrelation(row);
            count();
        });
        for (auto row : source_.gpuClockSamples()) {
            row.rankId = ranks_[row.rankId];
            out_.addGpuClockSample(row);
        }
        for (auto row : source_.captureWindows()) {
            row.rankId = ranks_[row.rankId];
            out_.addCaptureWindow(row);
        }
    }

    template <typename View, typename Row>
    void add(const View& view, void (ProfileWriter::*insert)(const Row&)) {
        Row row = view;
        row.rankId = ranks_[view.rankId];
        row.nameId = out_.string(view.name);
        (out_.*insert)(row);
        count();
    }

    void copyRest() {
        for (auto step : source_.steps()) {
            step.rankId = ranks_[step.rankId];
            out_.addStep(step);
        }
        for (const auto& thread : source_.threads()) out_.addThread(ranks_[thread.rankId], thread.thread, thread.name);
        for (const auto& device : source_.devices()) {
            out_.addDevice(ranks_[device.rankId], device.device, device.name, device.memoryBytes,
                           device.multiprocessors);
        }
        for (const auto& loss : source_.losses()) out_.setLoss(ranks_[loss.rankId], loss.kind, loss.count);
        for (const auto& entry : source_.metadata()) {
            const auto rank = entry.rankId ? std::optional(ranks_[*entry.rankId]) : std::nullopt;
            out_.addMetadata(rank, entry.key, entry.value);
        }
        for (const auto& row : source_.measurements()) out_.addMeasurement(row);
    }

    std::int64_t schemaOf(const RangeView& view, std::optional<std::int64_t> domainId) {
        std::int64_t& id = schemas_[view.fields];
        if (id == 0) id = out_.addPayloadSchema(domainId, view.schema, *view.fields);
        return id;
    }

    /// Steps and collectives of an annotated job follow from its ranges (docs/annotations.md).
    void addStep(const RangeView& view, std::int64_t rankId) {
        if (view.schema != "orrery.step" || !view.duration) return;
        if (const auto step = view.integer("step")) out_.addStep({rankId, *step, view.start, *view.duration});
    }

    void addCollective(const RangeView& view, std::int64_t rankId) {
        if (view.schema != "orrery.comm" || !view.duration) return;
        const auto cls = view.integer("class");
        if (!cls || *cls < 0 || *cls > static_cast<std::int64_t>(OpClass::other)) return;
        CollectiveRow row;
        row.rankId = rankId;
        row.kind = static_cast<OpClass>(*cls);
        row.bytes = view.integer("bytes");
        row.groupSize = view.integer("group_size");
        row.sequence = view.integer("sequence");
        if (const auto peer = view.integer("peer"); peer && *peer >= 0) row.peer = peer;
        row.start = view.start;
        row.duration = view.duration;
        out_.addCollective(row);
    }

    OpClass classOf(std::string_view kernel) {
        const auto found = classes_.find(kernel);
        if (found != classes_.end()) return found->second;
        return classes_.emplace(std::string(kernel), classifyKernel(kernel)).first->second;
    }

    void count() {
        if (++result_.events % kRowsBetweenChecks == 0 && progress_.isCancelled()) throw Cancelled();
    }

    const Profile& source_;
    ProfileWriter& out_;
    const Progress& progress_;
    ImportResult result_;
    std::map<std::int64_t, std::int64_t> ranks_, groups_, collectives_;
    std::optional<NcclJoin> nccl_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> communicatorGroups_;  // by source rank and number
    /// By rank, communicator and kind: sequence number, if known, and end.
    std::map<std::tuple<std::int64_t, std::int64_t, OpClass>,
             std::vector<std::pair<std::optional<std::int64_t>, std::int64_t>>>
        ends_;
    std::map<std::string, OpClass, std::less<>> classes_;
    std::map<const std::vector<PayloadField>*, std::int64_t> schemas_;
};

}  // namespace

bool OrreryProfileImporter::recognises(std::string_view head) const {
    if (head.size() < kApplicationIdOffset + 4 || !head.starts_with(kSqliteMagic)) return false;
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < 4; ++i) id = id << 8U | static_cast<unsigned char>(head[kApplicationIdOffset + i]);
    return id == static_cast<std::uint32_t>(kProfileApplicationId);
}

ImportResult OrreryProfileImporter::read(const std::filesystem::path& file, ProfileWriter& out,
                                         const Progress& progress) const {
    const Profile source(file);
    ImportResult result = Merge(source, out, progress).run();
    if (progress.report) progress.report(std::filesystem::file_size(file), std::filesystem::file_size(file));
    return result;
}

}  // namespace orrery::importers
