#include "profiler/inject/range_assembler.hpp"

#include <algorithm>
#include <cstddef>

#include "profiler/inject/names.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

constexpr std::size_t kProfileFields = 12;
/// A program that puts a number into every message would fill memory with names: from here on they share one.
constexpr std::size_t kInlineNames = 100'000;
constexpr std::string_view kFoldedName = "(more names than a profile keeps)";
/// An end may be drained before its start, which is in another ring: the next pass that empties all rings finds it.
constexpr int kEarlyEndPasses = 1;
/// A range open for this long, in ns, gets a row of its own.
constexpr std::int64_t kOpenRangeAge = 1'000'000'000;

std::string_view asText(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Head {
    Event event;
    std::size_t size = 0;
};

/// The kind, which even the shortest head holds, tells how much of an Event there is.
Head readHead(std::span<const std::byte> record) {
    Head head{{}, headSize(static_cast<EventKind>(record[offsetof(Event, kind)]))};
    std::copy_n(record.data(), head.size, reinterpret_cast<std::byte*>(&head.event));
    return head;
}

}  // namespace

void RangeAssembler::consume(EventSource source, std::span<const std::byte> record) {
    const auto [event, head] = readHead(record);
    const auto text = record.subspan(head, event.textSize);
    const auto payload = record.subspan(head + event.textSize, event.payloadSize);
    switch (event.kind) {
        case EventKind::push: {
            auto& stack = stacks_[source.serial];
            Open open = begin(source.thread, event, text, payload);
            open.row.depth = static_cast<int>(stack.size());
            stack.push_back(std::move(open));
            break;
        }
        case EventKind::pop:
            pop(source, event);
            break;
        case EventKind::start: {
            Open open = begin(source.thread, event, text, payload);
            open.row.kind = RangeKind::startEnd;
            start(std::move(open), event.rangeId);
            break;
        }
        case EventKind::end:
            end(source, event);
            break;
        case EventKind::mark: {
            Open open = begin(source.thread, event, text, payload);
            open.row.kind = RangeKind::mark;
            open.row.depth = static_cast<int>(stacks_[source.serial].size());
            open.row.duration = 0;
            insert(open);
            break;
        }
    }
}

void RangeAssembler::pop(EventSource source, const Event& event) {
    // Domains nest on their own: the innermost open range of this domain ends. The producer sends no pop without push.
    auto& stack = stacks_[source.serial];
    const auto match =
        std::find_if(stack.rbegin(), stack.rend(), [&](const Open& open) { return open.domain == event.domain; });
    if (match == stack.rend()) return;
    close(*match, event.time, source.thread);
    stack.erase(std::next(match).base());
}

void RangeAssembler::start(Open open, std::uint64_t rangeId) {
    const auto early = earlyEnds_.find(rangeId);
    if (early == earlyEnds_.end()) {
        started_.emplace(rangeId, std::move(open));
        return;
    }
    close(open, early->second.time, early->second.thread);
    earlyEnds_.erase(early);
}

void RangeAssembler::end(EventSource source, const Event& event) {
    const auto open = started_.find(event.rangeId);
    if (open == started_.end()) {
        earlyEnds_[event.rangeId] = {event.time, source.thread, 0};
        return;
    }
    close(open->second, event.time, source.thread);
    started_.erase(open);
}

void RangeAssembler::endThread(std::uint64_t serial) {
    const auto stack = stacks_.find(serial);
    if (stack == stacks_.end()) return;
    for (auto& open : stack->second) {
        if (open.writtenId == 0) insert(open);
    }
    stacks_.erase(stack);
}

bool RangeAssembler::endPass(std::int64_t now, bool emptied, bool last) {
    now_ = now;
    bool wrote = false;
    const auto write = [&](Open& open) {
        if (open.writtenId != 0 || (!last && now - open.row.start < kOpenRangeAge)) return;
        open.writtenId = insert(open);
        wrote = true;
    };
    for (auto& [serial, stack] : stacks_) {
        for (auto& open : stack) write(open);
    }
    for (auto& [id, open] : started_) write(open);

    if (!emptied && !last) return wrote;
    for (auto& [id, early] : earlyEnds_) ++early.passes;
    endsWithoutStart_ += static_cast<std::int64_t>(
        std::erase_if(earlyEnds_, [last](const auto& entry) { return last || entry.second.passes > kEarlyEndPasses; }));
    return wrote;
}

std::vector<std::pair<std::string, std::int64_t>> RangeAssembler::losses() const {
    return {{"end_without_start", endsWithoutStart_},
            {"payload_undecoded", payloadsUndecoded_},
            {"payload_fields_skipped", fieldsSkipped_},
            {"names_folded", namesFolded_}};
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
        if (id == 0) id = writer_->string(cleanUtf8(Names::instance().domainName(event.domain)));
        open.row.domainId = id;
    }
    if (event.category != 0) {
        std::int64_t& id = categoryIds_[{event.domain, event.category}];
        if (id == 0) id = writer_->string(cleanUtf8(Names::instance().categoryName(event.domain, event.category)));
        open.row.categoryId = id;
    }
    if (event.schemaId != 0) attachPayload(open, event, payload);
    if (control_ != nullptr) noteStep(open, event, text);
    return open;
}

void RangeAssembler::noteStep(Open& open, const Event& event, std::span<const std::byte> text) {
    const std::string& stepName = control_->settings().stepName;
    if (!stepName.empty() && event.kind != EventKind::mark) {
        if (event.nameKind == NameKind::registered) {
            const auto [known, isNew] = registeredSteps_.try_emplace(event.name, false);
            if (isNew) known->second = Names::instance().stringText(event.name).starts_with(stepName);
            open.isStep = known->second;
        } else {
            open.isStep = asText(text).starts_with(stepName);
        }
    }
    if (open.payloadSchema == 0) return;
    const PayloadSchema& schema = schemas_.at({event.domain, event.schemaId}).layout;
    open.always = schema.name == "orrery.nccl.communicator";
    if (schema.name != "orrery.step") return;
    open.isStep = true;
    for (std::size_t i = 0; i < schema.fields.size() && i < open.payload.size(); ++i) {
        const auto* number = std::get_if<std::int64_t>(&open.payload[i]);
        if (schema.fields[i].name == "step" && number != nullptr) open.step = *number;
    }
}

void RangeAssembler::moveTo(ProfileWriter& writer, std::int64_t rankId, ProfileWriter& old) {
    writer_ = &old;
    const auto leave = [this](Open& open) {
        if (open.writtenId == 0) insert(open);
        open.writtenId = kNowhere;
    };
    for (auto& [serial, stack] : stacks_) {
        for (auto& open : stack) leave(open);
    }
    for (auto& [id, open] : started_) leave(open);
    writer_ = &writer;
    rankId_ = rankId;
    registeredNames_.clear();
    domainIds_.clear();
    inlineNames_.clear();
    categoryIds_.clear();
    schemas_.clear();
}

std::int64_t RangeAssembler::nameId(const Event& event, std::span<const std::byte> text) {
    if (event.nameKind != NameKind::registered) return inlineNameId(asText(text));
    std::int64_t& id = registeredNames_[event.name];
    if (id == 0) id = writer_->string(cleanUtf8(Names::instance().stringText(event.name)));
    return id;
}

std::int64_t RangeAssembler::inlineNameId(std::string_view text) {
    if (const auto known = inlineNames_.find(text); known != inlineNames_.end()) return known->second;
    if (inlineNames_.size() >= kInlineNames) {
        ++namesFolded_;
        return writer_->string(kFoldedName);
    }
    const std::int64_t id = writer_->string(cleanUtf8(text));
    inlineNames_.emplace(text, id);
    return id;
}

void RangeAssembler::attachPayload(Open& open, const Event& event, std::span<const std::byte> bytes) {
    const Schema& schema = schemaOf(event, open.row.domainId);
    fieldsSkipped_ += schema.layout.skipped;
    if (schema.profileId == 0) {
        ++payloadsUndecoded_;
        return;
    }
    open.payloadSchema = schema.profileId;
    open.payload = decodePayload(schema.layout, bytes,
                                 [](std::uint64_t handle) { return cleanUtf8(Names::instance().stringText(handle)); });
}

const RangeAssembler::Schema& RangeAssembler::schemaOf(const Event& event, std::optional<std::int64_t> domainId) {
    const auto [entry, isNew] = schemas_.try_emplace({event.domain, event.schemaId});
    Schema& schema = entry->second;
    if (!isNew) return schema;
    if (event.schemaId < nvtx::abi::kStaticSchemaStart) {
        schema.layout = singleValueSchema(event.schemaId);
    } else if (auto registered = Names::instance().schemaOf(event.domain, event.schemaId)) {
        schema.layout = std::move(*registered);
    }
    auto& fields = schema.layout.fields;
    if (fields.size() > kProfileFields) {
        schema.layout.skipped += static_cast<int>(fields.size() - kProfileFields);
        fields.resize(kProfileFields);
    }
    if (fields.empty()) return schema;
    std::vector<PayloadField> described;
    for (const auto& field : fields) described.push_back({cleanUtf8(field.name), std::string(fieldType(field.type))});
    schema.profileId = writer_->addPayloadSchema(domainId, cleanUtf8(schema.layout.name), described);
    return schema;
}

void RangeAssembler::close(Open& open, std::int64_t time, std::int64_t thread) {
    const std::int64_t duration = std::max<std::int64_t>(0, time - open.row.start);
    if (open.row.kind == RangeKind::startEnd && thread != open.row.thread) open.row.endThread = thread;
    if (open.isStep && control_ != nullptr) control_->stepEnded(open.step, open.row.start, time, now_);
    if (open.writtenId == kNowhere) return;
    if (open.writtenId != 0) {
        writer_->closeRange(open.writtenId, duration, open.row.endThread);
        return;
    }
    open.row.duration = duration;
    insert(open);
}

std::int64_t RangeAssembler::insert(Open& open) {
    if (control_ != nullptr && !open.always && !control_->wanted(open.row.start)) return kNowhere;
    const std::int64_t id = writer_->addRange(open.row);
    if (open.payloadSchema != 0) writer_->addPayload({id, open.payloadSchema, std::move(open.payload)});
    return id;
}

}  // namespace orrery::inject
