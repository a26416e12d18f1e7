#include "profiler/inject/range_assembler.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "profiler/inject/names.hpp"
#include "profiler/inject/payload_decoder.hpp"

namespace orrery::inject {
namespace {

constexpr std::size_t kProfileFields = 12;

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t key(std::uint32_t domain, std::uint64_t id) {
    return id * 0x9E3779B97F4A7C15ULL ^ domain;
}

/// Payloads of the plain NVTX interface: one number, no schema of the program's own.
bool isPlain(std::uint64_t schemaId) {
    return schemaId >= nvtx::abi::payloadUint64 && schemaId <= nvtx::abi::payloadFloat;
}

SchemaInfo plainSchema(std::uint64_t schemaId) {
    static constexpr std::uint64_t kTypes[] = {0,
                                               nvtx::abi::entryUint64,
                                               nvtx::abi::entryInt64,
                                               nvtx::abi::entryDouble,
                                               nvtx::abi::entryUint32,
                                               nvtx::abi::entryInt32,
                                               nvtx::abi::entryFloat};
    return {0, "nvtx.value", {{"value", kTypes[schemaId], 0, true}}};
}

}  // namespace

void RangeAssembler::consume(std::int64_t thread, std::span<const std::byte> record) {
    Event event;
    std::memcpy(&event, record.data(), sizeof(event));
    const auto text = record.subspan(sizeof(event), event.textSize);
    const auto payload = record.subspan(sizeof(event) + event.textSize, event.payloadSize);
    auto& stack = stacks_[thread];
    switch (event.kind) {
        case EventKind::push: {
            Open open = begin(thread, event, text, payload);
            open.row.depth = static_cast<int>(stack.size());
            stack.push_back(std::move(open));
            break;
        }
        case EventKind::pop: {
            // Domains nest on their own: the innermost open range of this domain ends.
            const auto match = std::find_if(stack.rbegin(), stack.rend(),
                                            [&](const Open& open) { return open.domain == event.domain; });
            if (match == stack.rend()) {
                ++popsWithoutPush_;
                break;
            }
            close(*match, event.time, thread);
            stack.erase(std::next(match).base());
            break;
        }
        case EventKind::start: {
            Open open = begin(thread, event, text, payload);
            open.row.kind = RangeKind::startEnd;
            if (const auto early = earlyEnds_.find(event.rangeId); early != earlyEnds_.end()) {
                close(open, early->second.first, early->second.second);
                earlyEnds_.erase(early);
            } else {
                started_.emplace(event.rangeId, std::move(open));
            }
            break;
        }
        case EventKind::end: {
            const auto open = started_.find(event.rangeId);
            if (open == started_.end()) {
                // Its start waits in the ring of another thread that is drained after this one.
                earlyEnds_.emplace(event.rangeId, std::pair(event.time, thread));
            } else {
                close(open->second, event.time, thread);
                started_.erase(open);
            }
            break;
        }
        case EventKind::mark: {
            Open open = begin(thread, event, text, payload);
            open.row.kind = RangeKind::mark;
            open.row.depth = static_cast<int>(stack.size());
            open.row.duration = 0;
            insert(open);
            break;
        }
    }
}

RangeAssembler::Open RangeAssembler::begin(std::int64_t thread, const Event& event, std::span<const std::byte> text,
                                           std::span<const std::byte> payload) {
    Open open;
    open.domain = event.domain;
    open.row.rankId = rankId_;
    open.row.thread = thread;
    open.row.start = event.time;
    open.row.nameId = nameId(event, text);
    if (event.hasColor) open.row.color = event.color;
    if (event.domain != 0) {
        std::int64_t& id = domainIds_[event.domain];
        if (id == 0) id = writer_.string(Names::instance().domainName(event.domain));
        open.row.domainId = id;
    }
    if (event.category != 0) {
        std::int64_t& id = categoryIds_[key(event.domain, event.category)];
        if (id == 0) id = writer_.string(Names::instance().categoryName(event.domain, event.category));
        open.row.categoryId = id;
    }
    if (event.schemaId != 0) attachPayload(open, event, payload);
    return open;
}

std::int64_t RangeAssembler::nameId(const Event& event, std::span<const std::byte> text) {
    if (event.nameKind == NameKind::registered) {
        std::int64_t& id = registeredNames_[event.name];
        if (id == 0) id = writer_.string(Names::instance().stringText(event.name));
        return id;
    }
    return writer_.string(asText(text));
}

void RangeAssembler::attachPayload(Open& open, const Event& event, std::span<const std::byte> bytes) {
    const auto schema = isPlain(event.schemaId) ? std::optional(plainSchema(event.schemaId))
                                                : Names::instance().schemaInfo(event.domain, event.schemaId);
    if (!schema || schema->fields.empty()) {
        ++undecodedPayloads_;
        return;
    }
    SchemaRef& ref = schemas_[key(event.domain, event.schemaId)];
    if (!ref.known) {
        std::vector<PayloadField> fields;
        for (const auto& field : schema->fields) {
            if (fields.size() == kProfileFields) break;
            fields.push_back({field.name, std::string(field.scalar ? entryTypeName(field.type) : "unknown")});
        }
        ref = {writer_.addPayloadSchema(open.row.domainId, schema->name, fields), true};
    }
    open.payloadSchema = ref.profileId;
    open.payload = decodePayload(*schema, bytes);
    if (open.payload.size() > kProfileFields) open.payload.resize(kProfileFields);
}

void RangeAssembler::close(Open& open, std::int64_t time, std::int64_t thread) {
    const std::int64_t duration = std::max<std::int64_t>(0, time - open.row.start);
    if (open.row.kind == RangeKind::startEnd && thread != open.row.thread) open.row.endThread = thread;
    if (open.writtenId != 0) {
        writer_.closeRange(open.writtenId, duration, open.row.endThread);
        return;
    }
    open.row.duration = duration;
    insert(open);
}

std::int64_t RangeAssembler::insert(const Open& open) {
    const std::int64_t id = writer_.addRange(open.row);
    if (open.payloadSchema != 0) writer_.addPayload({id, open.payloadSchema, open.payload});
    return id;
}

void RangeAssembler::writeLongOpen(std::int64_t now, std::int64_t age) {
    const auto write = [&](Open& open) {
        if (open.writtenId == 0 && now - open.row.start >= age) open.writtenId = insert(open);
    };
    for (auto& [thread, stack] : stacks_) {
        for (auto& open : stack) write(open);
    }
    for (auto& [id, open] : started_) write(open);
}

}  // namespace orrery::inject
