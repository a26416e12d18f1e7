#include "profiler/inject/nccl_events.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string_view>

#include "profiler/inject/clock_samples.hpp"
#include "profiler/inject/names.hpp"
#include "profiler/inject/process.hpp"
#include "profiler/inject/record.hpp"

namespace orrery::inject {
namespace {

using namespace nvtx::abi;

/// Apart from the ids of ranges that programs start.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 62U;

constexpr std::array kCommunicatorFields{"communicator", "ranks", "rank", "nodes"};
constexpr std::array kCallFields{"communicator", "sequence", "bytes",     "count",    "root",     "peer",
                                 "ranks",        "channels", "algorithm", "protocol", "datatype", "warps"};
constexpr std::size_t kFirstText = 8, kTexts = 3;  ///< of the call's fields

std::uint64_t registerSchema(std::uint32_t domain, const char* name, std::span<const char* const> fields,
                             std::size_t firstText, std::size_t texts) {
    std::array<SchemaEntry, 12> entries{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        entries[i].type = i >= firstText && i < firstText + texts ? static_cast<std::uint64_t>(entryRegisteredString)
                                                                  : static_cast<std::uint64_t>(entryInt64);
        entries[i].name = fields[i];
        entries[i].offset = i * sizeof(std::int64_t);
    }
    SchemaAttributes attributes{};
    attributes.fields = schemaHasName | schemaHasEntries | schemaHasEntryCount;
    attributes.name = name;
    attributes.entries = entries.data();
    attributes.entryCount = fields.size();
    return Names::instance().schema(domain, attributes);
}

struct Registered {
    std::uint32_t domain = Names::instance().domain("orrery.nccl");
    std::uint64_t communicator = registerSchema(domain, "orrery.nccl.communicator", kCommunicatorFields, 0, 0);
    std::uint64_t call = registerSchema(domain, "orrery.nccl.call", kCallFields, kFirstText, kTexts);
};
const Registered& registered() {
    static const Registered once;
    return once;
}

/// A number for a literal of NCCL's, found again by its address.
std::int64_t textNumber(const char* literal) {
    if (literal == nullptr || *literal == '\0') return 0;
    struct Entry {
        const char* literal;
        std::uint32_t number;
    };
    static thread_local std::array<Entry, 64> known{};
    static thread_local std::size_t used = 0;
    for (std::size_t i = 0; i < used; ++i) {
        if (known[i].literal == literal) return known[i].number;
    }
    const std::uint32_t number = Names::instance().string(literal);
    if (used < known.size()) known[used++] = {literal, number};
    return number;
}

template <std::size_t N>
void emit(EventKind kind, std::uint64_t schema, const char* name, const std::array<std::int64_t, N>& values,
          std::uint64_t id) {
    Event event;
    event.kind = kind;
    event.domain = registered().domain;
    event.schemaId = schema;
    event.rangeId = id;
    event.payloadSize = sizeof(values);
    if (name != nullptr) {
        event.nameKind = NameKind::inlineText;
        event.textSize = static_cast<std::uint16_t>(strnlen(name, kMaxText));
    }
    event.time = monotonicNow();
    record(event, name, values.data());
}

std::int64_t elementSize(const char* datatype) {
    if (datatype == nullptr) return -1;
    const std::string_view text(datatype);  // "ncclFloat32", "ncclBfloat16", "ncclFloat8e4m3", "ncclUint8"
    for (const auto& [mark, size] : {std::pair{"loat8e", 1}, {"nt8", 1}, {"16", 2}, {"32", 4}, {"64", 8}}) {
        if (text.find(mark) != std::string_view::npos) return size;
    }
    return -1;
}

}  // namespace

std::int64_t ncclBytes(const NcclCallEvent& event) {
    const std::int64_t size = elementSize(event.datatype);
    if (size < 0 || event.function == nullptr) return -1;
    const std::string_view function(event.function);
    const bool share = function == "AllGather" || function == "ReduceScatter";
    if (share && event.ranks < 1) return -1;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(event.count, size, &bytes)) return -1;
    return __builtin_mul_overflow(bytes, share ? event.ranks : 1, &bytes) ? -1 : bytes;
}

void emitCommunicator(const NcclCommunicatorEvent& event) noexcept {
    try {
        const std::array<std::int64_t, kCommunicatorFields.size()> values{static_cast<std::int64_t>(event.communicator),
                                                                          event.ranks, event.rank, event.nodes};
        emit(EventKind::mark, registered().communicator, event.name, values, 0);
    } catch (...) {  // out of memory for names
    }
}

std::uint64_t beginNcclCall(const NcclCallEvent& event) noexcept {
    static constinit std::atomic<std::uint64_t> next{kFirstId};
    const std::uint64_t id = next.fetch_add(1, std::memory_order_relaxed);
    try {
        const std::array<std::int64_t, kCallFields.size()> values{static_cast<std::int64_t>(event.communicator),
                                                                  event.sequence,
                                                                  ncclBytes(event),
                                                                  event.count,
                                                                  event.root,
                                                                  event.peer,
                                                                  event.ranks,
                                                                  event.channels,
                                                                  textNumber(event.algorithm),
                                                                  textNumber(event.protocol),
                                                                  textNumber(event.datatype),
                                                                  event.warps};
        emit(EventKind::start, registered().call, event.function, values, id);
    } catch (...) {
    }
    return id;
}

void endNcclCall(std::uint64_t id) noexcept {
    if (id < kFirstId) return;
    Event event;
    event.kind = EventKind::end;
    event.rangeId = id;
    event.time = monotonicNow();
    record(event, nullptr, nullptr);
}

}  // namespace orrery::inject
