#include "importers/chakra/chakra_protobuf.hpp"

#include <algorithm>
#include <limits>

#include <chakra.pb.h>
#include <fmt/format.h>

#include "importers/io/bad_events.hpp"
#include "importers/io/time_range.hpp"

namespace orrery::importers {
namespace {

constexpr std::int64_t kNodesBetweenChecks = 4096;

/// A varint of at most 32 bits at `at`, which moves behind it; nothing when there is none.
std::optional<std::uint32_t> readVarint(std::string_view text, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && at < text.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(text[at++]);
        value |= std::uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) {
            if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
            return static_cast<std::uint32_t>(value);
        }
    }
    return std::nullopt;
}

bool isWord(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
               c == '-' || c == '+';
    });
}

std::optional<ChakraValue> valueOf(const chakra::Attribute& attribute) {
    using A = chakra::Attribute;
    const auto whole = [](auto value) { return ChakraValue(static_cast<std::int64_t>(value)); };
    switch (attribute.value_case()) {
        case A::kDoubleVal:
            return ChakraValue(attribute.double_val());
        case A::kFloatVal:
            return ChakraValue(static_cast<double>(attribute.float_val()));
        case A::kInt32Val:
            return whole(attribute.int32_val());
        case A::kInt64Val:
            return whole(attribute.int64_val());
        case A::kUint32Val:
            return whole(attribute.uint32_val());
        case A::kUint64Val:
            return whole(attribute.uint64_val());
        case A::kSint32Val:
            return whole(attribute.sint32_val());
        case A::kSint64Val:
            return whole(attribute.sint64_val());
        case A::kFixed32Val:
            return whole(attribute.fixed32_val());
        case A::kFixed64Val:
            return whole(attribute.fixed64_val());
        case A::kSfixed32Val:
            return whole(attribute.sfixed32_val());
        case A::kSfixed64Val:
            return whole(attribute.sfixed64_val());
        case A::kBoolVal:
            return whole(attribute.bool_val() ? 1 : 0);
        case A::kStringVal:
            return ChakraValue(attribute.string_val());
        case A::kBytesVal:
            return ChakraValue(attribute.bytes_val());
        case A::VALUE_NOT_SET:
            break;
    }
    return std::nullopt;
}

/// Whole microseconds; 0 is how proto3 writes "not set".
std::optional<std::int64_t> nanoseconds(std::uint64_t microseconds) {
    if (microseconds == 0 || microseconds > static_cast<std::uint64_t>(kLatestTime) / 1000) return std::nullopt;
    return static_cast<std::int64_t>(microseconds) * 1000;
}

ChakraNode nodeOf(const chakra::Node& message) {
    ChakraNode node;
    node.id = message.id();
    node.name = message.name();
    node.kind = chakraKind(message.type());
    node.controlDeps.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
    node.dataDeps.assign(message.data_deps().begin(), message.data_deps().end());
    node.start = nanoseconds(message.start_time_micros());
    node.duration = nanoseconds(message.duration_micros());
    for (const auto& attribute : message.attr()) {
        if (const auto value = valueOf(attribute)) node.setAttribute(attribute.name(), *value);
    }
    return node;
}

void readMetadata(const chakra::GlobalMetadata& message, ChakraGraph& graph) {
    graph.version = message.version();
    for (const auto& attribute : message.attr()) {
        const auto value = valueOf(attribute);
        if (!value) continue;
        const auto* text = std::get_if<std::string>(&*value);
        const auto* whole = std::get_if<std::int64_t>(&*value);
        if (attribute.name() == "schema" && text != nullptr && graph.version.empty()) graph.version = *text;
        if (attribute.name() == "pid" && whole != nullptr) graph.pid = *whole;
        if (attribute.name() == "rank" && whole != nullptr && *whole >= 0) graph.rank = *whole;
        if (attribute.name() == "world_size" && whole != nullptr && *whole > 0) graph.worldSize = *whole;
    }
}

}  // namespace

bool looksLikeChakra(std::string_view head) {
    std::size_t at = 0;
    const auto length = readVarint(head, at);
    if (!length || *length < 2 || at >= head.size()) return false;
    const char tag = head[at++];
    const auto inner = readVarint(head, at);
    if (!inner || *inner > *length) return false;
    if (tag == 0x0A) return *inner <= 64 && at + *inner <= head.size() && isWord(head.substr(at, *inner));  // version
    if (tag != 0x12 || at >= head.size() || head[at++] != 0x0A) return false;  // an attribute begins with its name
    const auto size = readVarint(head, at);
    return size && *size <= 64 && at + *size <= head.size() && isWord(head.substr(at, *size));
}

ChakraGraph readChakraProtobuf(std::string_view text, const Progress& progress) {
    ChakraGraph graph;
    BadEvents broken;
    chakra::Node message;
    std::size_t at = 0;
    for (std::int64_t index = 0; at < text.size(); ++index) {
        if (index % kNodesBetweenChecks == 0 && progress.isCancelled()) throw Cancelled();
        const std::size_t place = at;
        const auto length = readVarint(text, at);
        if (length && *length == 0 && index > 0) break;  // how the reference reader ends, too
        if (!length || *length > text.size() - at) {
            graph.warnings.push_back({fmt::format("byte {}: the message has no end; the file was cut short", place)});
            break;
        }
        const auto size = static_cast<int>(*length);
        const char* data = text.data() + at;
        at += *length;
        if (index == 0) {
            chakra::GlobalMetadata metadata;
            metadata.ParseFromArray(data, size) ? readMetadata(metadata, graph) : broken.add(place);
        } else if (message.ParseFromArray(data, size)) {
            graph.nodes.push_back(nodeOf(message));
        } else {
            broken.add(place);
        }
    }
    broken.warn("lost: no message of the format", graph.warnings);
    return graph;
}

}  // namespace orrery::importers
