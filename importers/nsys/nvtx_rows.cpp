#include "importers/nsys/nvtx_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "importers/nsys/global_id.hpp"

namespace orrery::importers {
namespace {

/// NVTX_EVENTS.eventType (ENUM_NSYS_EVENT_TYPE of an export).
enum : std::int64_t { kCategory = 33, kMark = 34, kThreadName = 39, kPushPop = 59, kStartEnd = 60, kDomain = 75 };

constexpr const char* kTable = "NVTX_EVENTS";

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

void cutCounter(std::string& text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string::npos) return;
    auto end = at + label.size();
    if (end < text.size() && text[end] == '-') ++end;
    const auto digits = end;
    while (end < text.size() && isDigit(text[end])) ++end;
    if (end > digits && (end == text.size() || text[end] == ',')) text.erase(at, end - at);
}

}  // namespace

std::string withoutCounters(std::string_view name) {
    std::string text(name);
    if (name.find(" = ") == std::string_view::npos) return text;
    cutCounter(text, ", seq = ");
    cutCounter(text, ", op_id = ");
    return text;
}

NvtxRows::NvtxRows(NsysDatabase& database, ProfileWriter& out, NsysProcesses& processes)
    : database_(database), out_(out), processes_(processes), decoder_(database) {}

void NvtxRows::read(std::vector<Warning>& warnings) {
    readNames();
    readRanges();
    calls_.finish();
    steps_.sort();
    const auto warn = [&](std::int64_t count, std::string_view what) {
        if (count > 0) warnings.push_back({fmt::format("{} {}", count, what), count});
    };
    warn(undecoded_, "NVTX payloads of NCCL do not fit their schema and are left out");
    warn(badTimes_, "NVTX ranges have an impossible time and are left out");
    warn(duplicateSteps_, "ranges repeat the number of a step; the first is kept");
}

/// Domains, categories and thread names. Filtered in SQL: there are few of them among millions of ranges.
void NvtxRows::readNames() {
    if (!database_.has(kTable, "eventType")) return;
    auto rows = database_.read(
        kTable, {"globalTid", "eventType", "domainId", "category", "text", "textId"}, 2,
        fmt::format("WHERE eventType={} OR eventType={} OR eventType={}", +kDomain, +kCategory, +kThreadName));
    while (rows.next()) {
        const std::int64_t globalTid = rows.integer(0);
        const std::int64_t type = rows.integer(1);
        const std::string text(rows.isNull(4) ? database_.string(rows.integer(5)) : rows.text(4));
        const std::int64_t process = processOf(globalTid);
        if (type == kDomain) domains_.try_emplace({process, rows.integer(2)}, out_.string(text));
        if (type == kCategory) categories_.try_emplace({process, rows.integer(3)}, out_.string(text));
        if (type == kThreadName) {
            processes_.named(globalTid, text);
            out_.addThread(processes_.rankId(globalTid), tidOf(globalTid), text);
        }
    }
}

/// Whether ranges come in the order of their starts, as the product writes them: depths are counted from that order.
bool NvtxRows::inOrder() {
    bool ordered = true;
    auto rows = database_.read(kTable, {"start"});
    rows.uncounted();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    while (ordered && rows.next()) {
        ordered = rows.integer(0) >= last;
        last = rows.integer(0);
    }
    return ordered;
}

void NvtxRows::readRanges() {
    auto rows = database_.read(kTable,
                               {"start", "globalTid", "eventType", "end", "textId", "text", "domainId", "category",
                                "color", "endGlobalTid", "binaryData"},
                               3, inOrder() ? "" : "ORDER BY start");
    while (rows.next()) {
        const std::int64_t type = rows.integer(2);
        if (type == kPushPop || type == kStartEnd || type == kMark) addRange(rows);
    }
}

const NvtxRows::Text& NvtxRows::registered(std::int64_t textId) {
    const auto [entry, fresh] = registered_.try_emplace(textId);
    if (fresh) {
        entry->second.text = database_.string(textId);
        entry->second.id = out_.string(entry->second.text);
        entry->second.isCall = NcclCalls::isCall(entry->second.text);
    }
    return entry->second;
}

const NvtxRows::Text& NvtxRows::inlined(std::string_view text) {
    inlined_.text = withoutCounters(text);
    inlined_.id = out_.string(inlined_.text);
    inlined_.isCall = NcclCalls::isCall(inlined_.text);
    return inlined_;
}

int NvtxRows::depthOf(std::int64_t globalTid, std::int64_t start, std::int64_t end) {
    auto& open = threads_[globalTid].openEnds;
    while (!open.empty() && open.back() <= start) open.pop_back();
    const auto depth = static_cast<int>(std::min<std::size_t>(open.size(), 1'000'000));
    open.push_back(end);
    return depth;
}

void NvtxRows::addRange(const NsysRows& row) {
    const std::int64_t start = row.integer(0);
    const std::int64_t globalTid = row.integer(1);
    const std::int64_t type = row.integer(2);
    auto end = row.optionalInteger(3);
    if (end && *end < start) end = std::nullopt;  // open when the record stopped
    if (!isTime(start) || (end && !isTime(*end))) {
        ++badTimes_;
        return;
    }
    const Text& text = row.isNull(5) ? registered(row.integer(4)) : inlined(row.text(5));
    const std::int64_t process = processOf(globalTid);
    RangeRow range;
    range.rankId = processes_.rankId(globalTid);
    range.thread = tidOf(globalTid);
    range.start = start;
    range.nameId = text.id;
    range.kind = type == kPushPop ? RangeKind::pushPop : type == kStartEnd ? RangeKind::startEnd : RangeKind::mark;
    if (type == kMark) {
        range.duration = 0;
    } else if (end) {
        range.duration = *end - start;
    }
    if (type == kPushPop) range.depth = depthOf(globalTid, start, end.value_or(kLatestTime));
    if (type == kStartEnd) {
        if (const auto endTid = row.optionalInteger(9); endTid && *endTid != globalTid)
            range.endThread = tidOf(*endTid);
    }
    if (const std::int64_t domain = row.integer(6); domain != 0) {
        const auto [entry, fresh] = domains_.try_emplace({process, domain});
        if (fresh) entry->second = out_.string(text.isCall ? std::string("NCCL") : fmt::format("domain {}", domain));
        range.domainId = entry->second;
    }
    if (const auto category = row.optionalInteger(7); category && *category != 0) {
        if (const auto known = categories_.find({process, *category}); known != categories_.end())
            range.categoryId = known->second;
    }
    if (const auto color = row.optionalInteger(8)) range.color = static_cast<std::uint32_t>(*color & 0xFFFFFFFF);
    processes_.sawTime(start, end.value_or(start));
    const std::int64_t id = out_.addRange(range);
    if (text.isCall && end) {
        std::optional<NcclPayload> payload;
        if (!row.isNull(10)) {
            payload = decoder_.decode(row.blob(10));
            payload ? addPayload(id, *payload) : static_cast<void>(++undecoded_);
        }
        calls_.add(globalTid, start, *end, text.text, payload);
    } else if (end && type != kMark) {
        if (const auto step = stepNumber(text.text)) {
            if (steps_.add(process, *step, start, *end)) {
                out_.addStep({range.rankId, *step, start, *end - start});
            } else {
                ++duplicateSteps_;
            }
        }
    }
}

void NvtxRows::addPayload(std::int64_t rangeId, const NcclPayload& payload) {
    static const std::array kFields{PayloadField{"communicator", "int64"}, PayloadField{"bytes", "int64"},
                                    PayloadField{"ranks", "int64"}, PayloadField{"rank", "int64"},
                                    PayloadField{"peer", "int64"}};
    if (payloadSchema_ == 0) payloadSchema_ = out_.addPayloadSchema(out_.string("NCCL"), "nccl.call", kFields);
    PayloadRow row{rangeId, payloadSchema_, {}};
    for (const auto& value : {payload.communicator, payload.bytes, payload.ranks, payload.rank, payload.peer}) {
        row.values.emplace_back();
        if (value) row.values.back() = *value;
    }
    out_.addPayload(row);
}

}  // namespace orrery::importers
