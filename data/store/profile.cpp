#include "data/store/profile.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <unordered_map>

#include <fmt/format.h>
#include <sqlite3.h>

#include "data/store/statement.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr int kPayloadColumns = 12;
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kApplicationIdOffset = 68;  // SQLite file format, section 1.3
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

struct Header {
    bool isSqlite = false;
    std::int64_t applicationId = 0, userVersion = 0, size = 0;
};

std::int64_t bigEndian32(const char* bytes) {
    std::int64_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// The first 100 bytes say all we need before SQLite itself looks at an untrusted file.
Header readHeader(const std::filesystem::path& file) {
    std::array<char, kHeaderSize> bytes{};
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Header header;
    header.size = in.gcount();
    header.isSqlite = in.gcount() == static_cast<std::streamsize>(kHeaderSize) &&
                      std::string_view(bytes.data(), kMagic.size()) == kMagic;
    if (header.isSqlite) {
        header.applicationId = bigEndian32(bytes.data() + kApplicationIdOffset);
        header.userVersion = bigEndian32(bytes.data() + kUserVersionOffset);
    }
    return header;
}

void checkHeader(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file)) {
        throw InputError(fmt::format("{}: no such file; name a profile made by 'orrery import' or 'orrery-agent run'",
                                     file.string()));
    }
    const Header header = readHeader(file);
    if (header.size == 0) throw InputError(fmt::format("{}: the file is empty; record or import again", file.string()));
    if (!header.isSqlite || header.applicationId != kProfileApplicationId) {
        throw InputError(fmt::format("{}: not an Orrery profile; make one with 'orrery import {} -o PROFILE.db'",
                                     file.string(), file.string()));
    }
    if (header.userVersion > kProfileSchemaVersion) {
        throw InputError(fmt::format("{}: written with schema version {}, this program knows {}; use a newer orrery",
                                     file.string(), header.userVersion, kProfileSchemaVersion));
    }
    if (header.userVersion < 1) {
        throw InputError(fmt::format("{}: schema version {} does not exist; the file is damaged, import again",
                                     file.string(), header.userVersion));
    }
}

SQLite::Database open(const std::filesystem::path& file) {
    checkHeader(file);
    try {
        SQLite::Database db(file.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX);
        sqlite3* raw = db.getHandle();
        sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
        db.tryExec("PRAGMA query_only=ON; PRAGMA cell_size_check=ON; PRAGMA mmap_size=268435456;");
        return db;
    } catch (const SQLite::Exception& error) {
        throw InputError(fmt::format("{}: cannot be opened ({}); record or import again", file.string(), error.what()));
    }
}

OpClass opClass(std::int64_t number) {
    return number >= 0 && number <= static_cast<std::int64_t>(OpClass::other) ? static_cast<OpClass>(number)
                                                                              : OpClass::other;
}

RangeKind rangeKind(std::int64_t number) {
    return number >= 0 && number <= 2 ? static_cast<RangeKind>(number) : RangeKind::pushPop;
}

PayloadValue payloadValue(const Statement& row, int column) {
    switch (row.type(column)) {
        case SQLITE_INTEGER:
            return row.integer(column);
        case SQLITE_FLOAT:
            return row.real(column);
        case SQLITE_TEXT:
            return std::string(row.text(column));
        default:
            return std::monostate{};
    }
}

}  // namespace

std::optional<double> RangeView::real(std::string_view field) const {
    if (fields == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < std::min(fields->size(), values.size()); ++i) {
        if ((*fields)[i].name != field) continue;
        if (const auto* value = std::get_if<double>(&values[i])) return *value;
        if (const auto* value = std::get_if<std::int64_t>(&values[i])) return static_cast<double>(*value);
    }
    return std::nullopt;
}

std::optional<std::int64_t> RangeView::integer(std::string_view field) const {
    if (fields == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < std::min(fields->size(), values.size()); ++i) {
        if ((*fields)[i].name != field) continue;
        if (const auto* value = std::get_if<std::int64_t>(&values[i])) return *value;
    }
    return std::nullopt;
}

struct Profile::Impl {
    std::filesystem::path file;
    SQLite::Database db;
    std::unordered_map<std::int64_t, std::string> strings;
    std::unordered_map<std::int64_t, std::pair<std::string, std::vector<PayloadField>>> schemas;

    explicit Impl(const std::filesystem::path& path) : file(path), db(open(path)) {
        try {
            Statement text = prepare("SELECT id, text FROM strings");
            while (text.next()) strings.emplace(text.integer(0), text.text(1));
            Statement schema = prepare("SELECT id, name_id FROM payload_schemas");
            while (schema.next()) schemas[schema.integer(0)].first = lookup(schema.integer(1));
            Statement field = prepare("SELECT schema_id, name, type FROM payload_fields ORDER BY schema_id, position");
            while (field.next()) {
                schemas[field.integer(0)].second.push_back({std::string(field.text(1)), std::string(field.text(2))});
            }
        } catch (const std::runtime_error& error) {
            throw InputError(
                fmt::format("{}: the profile is damaged ({}); record or import again", file.string(), error.what()));
        }
    }

    [[nodiscard]] Statement prepare(const std::string& sql) const { return {db, sql}; }
    [[nodiscard]] std::string_view lookup(std::int64_t id) const {
        const auto found = strings.find(id);
        return found == strings.end() ? std::string_view{} : std::string_view(found->second);
    }

    /// Runs `read` over all rows of a query, turning database errors into InputError.
    template <typename Read>
    void query(const std::string& sql, Read read) const {
        try {
            Statement rows = prepare(sql);
            while (rows.next()) read(rows);
        } catch (const InputError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw InputError(
                fmt::format("{}: the profile is damaged ({}); record or import again", file.string(), error.what()));
        }
    }
};

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
                     m.kind = opClass(row.integer(0));
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

void Profile::forEachKernel(const std::function<void(const KernelView&)>& visit) const {
    KernelView view;
    impl_->query(
        "SELECT "
        "id,rank_id,device,stream,start_ns,duration_ns,name_id,op_class,correlation,graph_node,collective_id,step "
        "FROM kernels ORDER BY rank_id,start_ns",
        [&](const Statement& row) {
            view.id = row.integer(0);
            view.rankId = row.integer(1);
            view.device = row.integer(2);
            view.stream = row.integer(3);
            view.start = row.integer(4);
            view.duration = row.integer(5);
            view.nameId = row.integer(6);
            view.name = impl_->lookup(view.nameId);
            view.cls = opClass(row.integer(7));
            view.correlation = row.optionalInteger(8);
            view.graphNode = row.optionalInteger(9);
            view.collectiveId = row.optionalInteger(10);
            view.step = row.optionalInteger(11);
            visit(view);
        });
}

void Profile::forEachCopy(const std::function<void(const CopyView&)>& visit) const {
    CopyView view;
    impl_->query(
        "SELECT rank_id,device,stream,start_ns,duration_ns,name_id,bytes,is_memset,correlation FROM copies ORDER BY "
        "rank_id,start_ns",
        [&](const Statement& row) {
            view.rankId = row.integer(0);
            view.device = row.integer(1);
            view.stream = row.integer(2);
            view.start = row.integer(3);
            view.duration = row.integer(4);
            view.nameId = row.integer(5);
            view.name = impl_->lookup(view.nameId);
            view.bytes = row.optionalInteger(6);
            view.isMemset = row.integer(7) != 0;
            view.correlation = row.optionalInteger(8);
            visit(view);
        });
}

void Profile::forEachRange(const std::function<void(const RangeView&)>& visit) const {
    RangeView view;
    impl_->query(
        "SELECT r.id,r.rank_id,r.thread,r.end_thread,r.start_ns,r.duration_ns,r.kind,r.depth,r.domain_id,r.category_id,"
        "r.name_id,r.color,p.schema_id,p.v0,p.v1,p.v2,p.v3,p.v4,p.v5,p.v6,p.v7,p.v8,p.v9,p.v10,p.v11 "
        "FROM ranges r LEFT JOIN payloads p ON p.range_id=r.id ORDER BY r.rank_id,r.start_ns,r.depth,r.id",
        [&](const Statement& row) {
            view.id = row.integer(0);
            view.rankId = row.integer(1);
            view.thread = row.integer(2);
            view.endThread = row.optionalInteger(3);
            view.start = row.integer(4);
            view.duration = row.optionalInteger(5);
            view.kind = rangeKind(row.integer(6));
            view.depth = static_cast<int>(std::clamp<std::int64_t>(row.integer(7), 0, 1 << 20));
            view.domainId = row.optionalInteger(8);
            view.categoryId = row.optionalInteger(9);
            view.nameId = row.integer(10);
            view.name = impl_->lookup(view.nameId);
            view.domain = view.domainId ? impl_->lookup(*view.domainId) : std::string_view{};
            view.category = view.categoryId ? impl_->lookup(*view.categoryId) : std::string_view{};
            view.color.reset();
            if (!row.isNull(11)) view.color = static_cast<std::uint32_t>(row.integer(11));
            view.values.clear();
            view.schema = {};
            view.fields = nullptr;
            if (const auto schema = row.optionalInteger(12)) {
                if (const auto found = impl_->schemas.find(*schema); found != impl_->schemas.end()) {
                    view.schema = found->second.first;
                    view.fields = &found->second.second;
                    for (int column = 0; column < kPayloadColumns; ++column) {
                        view.values.push_back(payloadValue(row, 13 + column));
                    }
                }
            }
            visit(view);
        });
}

void Profile::forEachCollective(const std::function<void(const CollectiveView&)>& visit) const {
    CollectiveView view;
    impl_->query(
        "SELECT id,rank_id,kind,bytes,group_id,group_size,dtype,algorithm,protocol,sequence,peer,start_ns,duration_ns "
        "FROM collectives ORDER BY rank_id,start_ns,id",
        [&](const Statement& row) {
            view.id = row.integer(0);
            view.rankId = row.integer(1);
            view.kind = opClass(row.integer(2));
            view.bytes = row.optionalInteger(3);
            view.groupId = row.optionalInteger(4);
            view.groupSize = row.optionalInteger(5);
            view.dtype = row.text(6);
            view.algorithm = row.text(7);
            view.protocol = row.text(8);
            view.sequence = row.optionalInteger(9);
            view.peer = row.optionalInteger(10);
            view.start = row.optionalInteger(11);
            view.duration = row.optionalInteger(12);
            visit(view);
        });
}

std::map<std::int64_t, std::int64_t> Profile::rangeCounts() const {
    std::map<std::int64_t, std::int64_t> counts;
    impl_->query("SELECT rank_id, count(*) FROM ranges GROUP BY rank_id",
                 [&](const Statement& row) { counts[row.integer(0)] = row.integer(1); });
    return counts;
}

std::int64_t Profile::count(std::string_view table) const {
    static constexpr std::array<std::string_view, 12> kTables{
        "ranks", "devices",        "kernels",     "copies", "ranges",        "payloads",
        "steps", "process_groups", "collectives", "losses", "clock_samples", "measurements"};
    if (std::find(kTables.begin(), kTables.end(), table) == kTables.end()) {
        throw std::logic_error(fmt::format("no table '{}' in the profile schema", table));
    }
    std::int64_t rows = 0;
    impl_->query(fmt::format("SELECT count(*) FROM {}", table), [&](const Statement& row) { rows = row.integer(0); });
    return rows;
}

bool isProfile(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return false;
    const Header header = readHeader(file);
    return header.isSqlite && header.applicationId == kProfileApplicationId;
}

}  // namespace orrery
