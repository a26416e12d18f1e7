// Profile's large tables, row by row.
#include <algorithm>

#include <sqlite3.h>

#include "data/store/profile.hpp"
#include "data/store/profile_impl.hpp"

namespace orrery {
namespace {

constexpr int kPayloadColumns = 12;

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
            view.cls = storedOpClass(row.integer(7));
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

namespace {

const std::string kRangeColumns =
    "r.id,r.rank_id,r.thread,r.end_thread,r.start_ns,r.duration_ns,r.kind,r.depth,r.domain_id,r.category_id,"
    "r.name_id,r.color,p.schema_id,p.v0,p.v1,p.v2,p.v3,p.v4,p.v5,p.v6,p.v7,p.v8,p.v9,p.v10,p.v11";

}  // namespace

void Profile::Impl::eachRange(const std::string& from, const std::function<void(const RangeView&)>& visit) const {
    RangeView view;
    query("SELECT " + kRangeColumns + from, [&](const Statement& row) {
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
        view.name = lookup(view.nameId);
        view.domain = view.domainId ? lookup(*view.domainId) : std::string_view{};
        view.category = view.categoryId ? lookup(*view.categoryId) : std::string_view{};
        view.color.reset();
        if (!row.isNull(11)) view.color = static_cast<std::uint32_t>(row.integer(11));
        view.values.clear();
        view.schema = {};
        view.fields = nullptr;
        if (const auto schema = row.optionalInteger(12)) {
            if (const auto found = schemas.find(*schema); found != schemas.end()) {
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

void Profile::forEachRange(const std::function<void(const RangeView&)>& visit) const {
    impl_->eachRange(
        " FROM ranges r LEFT JOIN payloads p ON p.range_id=r.id ORDER BY r.rank_id,r.start_ns,r.depth,r.id", visit);
}

void Profile::forEachRangeWithPayload(const std::function<void(const RangeView&)>& visit) const {
    impl_->eachRange(" FROM payloads p CROSS JOIN ranges r ON r.id=p.range_id", visit);  // in this nesting: no sort
}

void Profile::forEachCollective(const std::function<void(const CollectiveView&)>& visit) const {
    CollectiveView view;
    impl_->query(
        "SELECT id,rank_id,kind,bytes,group_id,group_size,dtype,algorithm,protocol,sequence,peer,start_ns,duration_ns "
        "FROM collectives ORDER BY rank_id,start_ns,id",
        [&](const Statement& row) {
            view.id = row.integer(0);
            view.rankId = row.integer(1);
            view.kind = storedOpClass(row.integer(2));
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

}  // namespace orrery
