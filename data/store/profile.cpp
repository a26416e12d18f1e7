#include "data/store/profile.hpp"

#include <algorithm>
#include <array>

#include "data/store/profile_header.hpp"
#include "data/store/profile_impl.hpp"
#include "data/store/untrusted_database.hpp"

namespace orrery {

SQLite::Database openUntrusted(const std::filesystem::path& file) {
    checkHeader(file);
    try {
        return openUntrustedDatabase(file);
    } catch (const SQLite::Exception& error) {
        throw InputError(fmt::format("{}: cannot be opened ({}); record or import again", file.string(), error.what()));
    }
}

Profile::Profile(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

const std::filesystem::path& Profile::file() const {
    return impl_->file;
}

std::vector<RankInfo> Profile::ranks() const {
    std::vector<RankInfo> out;
    impl_->query(
        "SELECT id,file,source,rank,world_size,host,pid,clock_offset_ns,clock_uncertainty_ns,base_time_ns FROM ranks "
        "ORDER BY id",
        [&](const Statement& row) {
            RankInfo info;
            info.id = row.integer(0);
            info.file = row.text(1);
            info.source = row.text(2);
            info.rank = row.optionalInteger(3);
            info.worldSize = row.optionalInteger(4);
            info.host = row.text(5);
            info.pid = row.optionalInteger(6);
            info.clockOffset = row.integer(7);
            info.clockUncertainty = row.optionalInteger(8);
            info.baseTime = row.optionalInteger(9);
            out.push_back(std::move(info));
        });
    return out;
}

std::vector<DeviceInfo> Profile::devices() const {
    std::vector<DeviceInfo> out;
    impl_->query("SELECT rank_id,device,name,memory_bytes,multiprocessors FROM devices ORDER BY rank_id,device",
                 [&](const Statement& row) {
                     out.push_back({row.integer(0), row.integer(1), std::string(row.text(2)), row.optionalInteger(3),
                                    row.optionalInteger(4)});
                 });
    return out;
}

std::vector<ThreadInfo> Profile::threads() const {
    std::vector<ThreadInfo> out;
    impl_->query("SELECT rank_id,thread,name FROM threads ORDER BY rank_id,thread", [&](const Statement& row) {
        out.push_back({row.integer(0), row.integer(1), std::string(row.text(2))});
    });
    return out;
}

std::vector<StepRow> Profile::steps() const {
    std::vector<StepRow> out;
    impl_->query("SELECT rank_id,step,start_ns,duration_ns FROM steps ORDER BY rank_id,start_ns",
                 [&](const Statement& row) {
                     out.push_back({row.integer(0), row.integer(1), row.integer(2), row.integer(3)});
                 });
    return out;
}

std::vector<LossInfo> Profile::losses() const {
    std::vector<LossInfo> out;
    impl_->query("SELECT rank_id,kind,count FROM losses ORDER BY rank_id,kind", [&](const Statement& row) {
        out.push_back({row.integer(0), std::string(row.text(1)), row.integer(2)});
    });
    return out;
}

std::vector<MetadataInfo> Profile::metadata() const {
    std::vector<MetadataInfo> out;
    impl_->query("SELECT rank_id,key,value FROM metadata", [&](const Statement& row) {
        out.push_back({row.optionalInteger(0), std::string(row.text(1)), std::string(row.text(2))});
    });
    return out;
}

std::vector<ProcessGroupInfo> Profile::processGroups() const {
    std::vector<ProcessGroupInfo> out;
    impl_->query("SELECT id,rank_id,name,description,size,ranks FROM process_groups ORDER BY id",
                 [&](const Statement& row) {
                     out.push_back({row.integer(0), row.integer(1), std::string(row.text(2)), std::string(row.text(3)),
                                    row.optionalInteger(4), std::string(row.text(5))});
                 });
    return out;
}

std::vector<ClockSampleRow> Profile::clockSamples() const {
    std::vector<ClockSampleRow> out;
    impl_->query(
        "SELECT rank_id,profile_ns,realtime_ns,monotonic_raw_ns,tsc,window_ns FROM clock_samples ORDER BY "
        "rank_id,profile_ns",
        [&](const Statement& row) {
            out.push_back({row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.optionalInteger(4),
                           row.integer(5)});
        });
    return out;
}

std::vector<MeasurementRow> Profile::measurements() const {
    std::vector<MeasurementRow> out;
    impl_->query("SELECT kind,ranks,nodes,bytes,time_ns,algbw,busbw,dtype,in_place,link FROM measurements ORDER BY id",
                 [&](const Statement& row) {
                     MeasurementRow m;
                     m.kind = storedOpClass(row.integer(0));
                     m.ranks = row.optionalInteger(1);
                     m.nodes = row.optionalInteger(2);
                     m.bytes = row.optionalInteger(3);
                     m.time = row.optionalInteger(4);
                     if (!row.isNull(5)) m.algbw = row.real(5);
                     if (!row.isNull(6)) m.busbw = row.real(6);
                     m.dtype = row.text(7);
                     if (!row.isNull(8)) m.inPlace = row.integer(8) != 0;
                     m.link = row.text(9);
                     out.push_back(std::move(m));
                 });
    return out;
}

std::map<std::int64_t, std::int64_t> Profile::rangeCounts() const {
    std::map<std::int64_t, std::int64_t> counts;
    impl_->query("SELECT rank_id, count(*) FROM ranges GROUP BY rank_id",
                 [&](const Statement& row) { counts[row.integer(0)] = row.integer(1); });
    return counts;
}

std::int64_t Profile::count(std::string_view table) const {
    static constexpr std::array<std::string_view, 19> kTables{"ranks",
                                                              "devices",
                                                              "kernels",
                                                              "copies",
                                                              "ranges",
                                                              "payloads",
                                                              "steps",
                                                              "process_groups",
                                                              "collectives",
                                                              "losses",
                                                              "clock_samples",
                                                              "measurements",
                                                              "api_calls",
                                                              "synchronizations",
                                                              "cuda_events",
                                                              "profiling_overheads",
                                                              "external_correlations",
                                                              "gpu_clock_samples",
                                                              "capture_windows"};
    if (std::find(kTables.begin(), kTables.end(), table) == kTables.end()) {
        throw std::logic_error(fmt::format("no table '{}' in the profile schema", table));
    }
    std::int64_t rows = 0;
    if (!impl_->has(table)) return rows;
    impl_->query(fmt::format("SELECT count(*) FROM {}", table), [&](const Statement& row) { rows = row.integer(0); });
    return rows;
}

}  // namespace orrery
