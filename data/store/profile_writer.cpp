#include "data/store/profile_writer.hpp"

#include <system_error>
#include <variant>

#include <fmt/format.h>

#include "data/store/profile_writer_impl.hpp"
#include "model/units/input_error.hpp"

namespace orrery {

namespace {

constexpr int kPayloadColumns = 12;

}  // namespace

ProfileWriter::ProfileWriter(std::filesystem::path file, WriteMode mode)
    : impl_(std::make_unique<Impl>(std::move(file), mode)) {}
ProfileWriter::~ProfileWriter() = default;
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;

std::int64_t ProfileWriter::string(std::string_view text) {
    if (const auto found = impl_->strings.find(text); found != impl_->strings.end()) return found->second;
    impl_->insertString.bind(1, text);
    impl_->insertString.run();
    const std::int64_t id = impl_->lastId();
    impl_->strings.emplace(text, id);
    return id;
}

namespace {
void bindRank(Statement& statement, const RankRow& row) {
    statement.bind(1, std::string_view(row.file));
    statement.bind(2, std::string_view(row.source));
    statement.bind(3, row.rank);
    statement.bind(4, row.worldSize);
    statement.bindTextOrNull(5, row.host);
    statement.bind(6, row.pid);
    statement.bind(7, row.clockOffset);
    statement.bind(8, row.clockUncertainty);
    statement.bind(9, row.baseTime);
}
}  // namespace

std::int64_t ProfileWriter::addRank(const RankRow& row) {
    bindRank(impl_->insertRank, row);
    impl_->insertRank.run();
    ++impl_->rankCount;
    return impl_->lastId();
}

void ProfileWriter::assignRank(std::int64_t rankId, std::int64_t rank) {
    Statement update(impl_->db, "UPDATE ranks SET rank=? WHERE id=?");
    update.bind(1, rank);
    update.bind(2, rankId);
    update.run();
}

std::int64_t ProfileWriter::rankCount() const {
    return impl_->rankCount;
}

void ProfileWriter::updateRank(std::int64_t rankId, const RankRow& row) {
    bindRank(impl_->updateRank, row);
    impl_->updateRank.bind(10, rankId);
    impl_->updateRank.run();
}

void ProfileWriter::addDevice(std::int64_t rankId, std::int64_t device, std::string_view name,
                              std::optional<std::int64_t> memoryBytes, std::optional<std::int64_t> multiprocessors) {
    Statement& insert = impl_->insertDevice;
    insert.bind(1, rankId);
    insert.bind(2, device);
    insert.bindTextOrNull(3, name);
    insert.bind(4, memoryBytes);
    insert.bind(5, multiprocessors);
    insert.run();
}

void ProfileWriter::addStream(std::int64_t rankId, std::int64_t device, std::int64_t stream, std::string_view name) {
    Statement& insert = impl_->insertStream;
    insert.bind(1, rankId);
    insert.bind(2, device);
    insert.bind(3, stream);
    insert.bindTextOrNull(4, name);
    insert.run();
}

std::int64_t ProfileWriter::addKernel(const KernelRow& row) {
    return impl_->kernels.add({row.rankId, row.device, row.stream, row.start, row.duration, row.nameId,
                               static_cast<std::int64_t>(row.cls), row.correlation, row.graphNode, row.collectiveId,
                               row.step});
}

std::int64_t ProfileWriter::addCopy(const CopyRow& row) {
    return impl_->copies.add({row.rankId, row.device, row.stream, row.start, row.duration, row.nameId, row.bytes,
                              static_cast<std::int64_t>(row.isMemset), row.correlation});
}

void ProfileWriter::addThread(std::int64_t rankId, std::int64_t thread, std::string_view name) {
    impl_->insertThread.bind(1, rankId);
    impl_->insertThread.bind(2, thread);
    impl_->insertThread.bindTextOrNull(3, name);
    impl_->insertThread.run();
}

std::int64_t ProfileWriter::addRange(const RangeRow& row) {
    return impl_->ranges.add({row.rankId, row.thread, row.endThread, row.start, row.duration,
                              static_cast<std::int64_t>(row.kind), static_cast<std::int64_t>(row.depth), row.domainId,
                              row.categoryId, row.nameId,
                              row.color ? std::optional<std::int64_t>(*row.color) : std::nullopt});
}

void ProfileWriter::closeRange(std::int64_t rangeId, std::int64_t duration, std::optional<std::int64_t> endThread) {
    impl_->ranges.flush();
    impl_->closeRange.bind(1, duration);
    impl_->closeRange.bind(2, endThread);
    impl_->closeRange.bind(3, rangeId);
    impl_->closeRange.run();
}

std::int64_t ProfileWriter::addPayloadSchema(std::optional<std::int64_t> domainId, std::string_view name,
                                             std::span<const PayloadField> fields) {
    if (fields.size() > kPayloadColumns) {
        throw std::invalid_argument(
            fmt::format("payload schema '{}' has {} fields; a profile holds {}", name, fields.size(), kPayloadColumns));
    }
    const std::int64_t nameId = string(name);
    impl_->insertSchema.bind(1, domainId);
    impl_->insertSchema.bind(2, nameId);
    impl_->insertSchema.run();
    const std::int64_t id = impl_->lastId();
    std::int64_t position = 0;
    for (const auto& field : fields) {
        impl_->insertField.bind(1, id);
        impl_->insertField.bind(2, position++);
        impl_->insertField.bind(3, std::string_view(field.name));
        impl_->insertField.bind(4, std::string_view(field.type));
        impl_->insertField.run();
    }
    return id;
}

void ProfileWriter::addPayload(const PayloadRow& row) {
    Statement& insert = impl_->insertPayload;
    insert.bind(1, row.rangeId);
    insert.bind(2, row.schemaId);
    for (int column = 0; column < kPayloadColumns; ++column) {
        const auto index = static_cast<std::size_t>(column);
        const int position = 3 + column;
        if (index >= row.values.size()) {
            insert.bindNull(position);
        } else if (const auto* integer = std::get_if<std::int64_t>(&row.values[index])) {
            insert.bind(position, *integer);
        } else if (const auto* real = std::get_if<double>(&row.values[index])) {
            insert.bind(position, *real);
        } else if (const auto* text = std::get_if<std::string>(&row.values[index])) {
            insert.bind(position, std::string_view(*text));
        } else {
            insert.bindNull(position);
        }
    }
    insert.run();
}

std::int64_t ProfileWriter::addProcessGroup(std::int64_t rankId, std::string_view name, std::string_view description,
                                            std::optional<std::int64_t> size, std::string_view ranks) {
    Statement& insert = impl_->insertGroup;
    insert.bind(1, rankId);
    insert.bind(2, name);
    insert.bindTextOrNull(3, description);
    insert.bind(4, size);
    insert.bindTextOrNull(5, ranks);
    insert.run();
    return impl_->lastId();
}

std::int64_t ProfileWriter::addCollective(const CollectiveRow& row) {
    Statement& insert = impl_->insertCollective;
    insert.bind(1, row.rankId);
    insert.bind(2, static_cast<std::int64_t>(row.kind));
    insert.bind(3, row.bytes);
    insert.bind(4, row.groupId);
    insert.bind(5, row.groupSize);
    insert.bindTextOrNull(6, row.dtype);
    insert.bindTextOrNull(7, row.algorithm);
    insert.bindTextOrNull(8, row.protocol);
    insert.bind(9, row.sequence);
    insert.bind(10, row.peer);
    insert.bind(11, row.start);
    insert.bind(12, row.duration);
    insert.run();
    return impl_->lastId();
}

void ProfileWriter::addStep(const StepRow& row) {
    Statement& insert = impl_->insertStep;
    insert.bind(1, row.rankId);
    insert.bind(2, row.step);
    insert.bind(3, row.start);
    insert.bind(4, row.duration);
    insert.run();
}

void ProfileWriter::addClockSample(const ClockSampleRow& row) {
    Statement& insert = impl_->insertClock;
    insert.bind(1, row.rankId);
    insert.bind(2, row.profile);
    insert.bind(3, row.realtime);
    insert.bind(4, row.monotonicRaw);
    insert.bind(5, row.tsc);
    insert.bind(6, row.window);
    insert.run();
}

void ProfileWriter::addMeasurement(const MeasurementRow& row) {
    Statement& insert = impl_->insertMeasurement;
    insert.bind(1, static_cast<std::int64_t>(row.kind));
    insert.bind(2, row.ranks);
    insert.bind(3, row.nodes);
    insert.bind(4, row.bytes);
    insert.bind(5, row.time);
    insert.bind(6, row.algbw);
    insert.bind(7, row.busbw);
    insert.bindTextOrNull(8, row.dtype);
    insert.bind(9, row.inPlace ? std::optional<std::int64_t>(*row.inPlace) : std::nullopt);
    insert.bindTextOrNull(10, row.link);
    insert.run();
}

void ProfileWriter::setLoss(std::int64_t rankId, std::string_view kind, std::int64_t count) {
    impl_->removeLoss.bind(1, rankId);
    impl_->removeLoss.bind(2, kind);
    impl_->removeLoss.run();
    impl_->insertLoss.bind(1, rankId);
    impl_->insertLoss.bind(2, kind);
    impl_->insertLoss.bind(3, count);
    impl_->insertLoss.run();
}

void ProfileWriter::addMetadata(std::optional<std::int64_t> rankId, std::string_view key, std::string_view value) {
    impl_->insertMetadata.bind(1, rankId);
    impl_->insertMetadata.bind(2, key);
    impl_->insertMetadata.bind(3, value);
    impl_->insertMetadata.run();
}

void ProfileWriter::setMetadata(std::int64_t rankId, std::string_view key, std::string_view value) {
    impl_->removeMetadata.bind(1, rankId);
    impl_->removeMetadata.bind(2, key);
    impl_->removeMetadata.run();
    addMetadata(rankId, key, value);
}

void ProfileWriter::commit() {
    impl_->flush();
    impl_->db.exec("COMMIT; BEGIN");
}

void ProfileWriter::finish() {
    if (impl_->finished) return;
    impl_->flush();
    impl_->db.exec(
        "COMMIT;"
        "CREATE INDEX kernels_by_device ON kernels(rank_id, device, start_ns);"
        "CREATE INDEX ranges_by_thread ON ranges(rank_id, thread, start_ns);"
        "CREATE INDEX payloads_by_range ON payloads(range_id);"
        "BEGIN");
    if (impl_->mode == WriteMode::atomic) {
        impl_->db.exec("COMMIT");
        const std::filesystem::path writing = impl_->writing, target = impl_->target;
        impl_->finished = true;
        // Statements hold the connection open; a fresh Impl would be needed to write on, so this is the end.
        std::error_code failed;
        std::filesystem::rename(writing, target, failed);
        if (failed) {
            std::filesystem::remove(writing, failed);
            throw InputError(fmt::format("{}: cannot be written ({})", target.string(), failed.message()));
        }
    }
    impl_->finished = true;
}

}  // namespace orrery
