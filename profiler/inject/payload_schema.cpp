#include "profiler/inject/payload_schema.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

namespace orrery::inject {
namespace {

using namespace nvtx::abi;

/// Calls `visit` with a value of the C++ type behind an entry type; false when a profile does not keep the type.
template <typename Visit>
bool withType(std::uint64_t type, Visit visit) {
    switch (type) {
        case entryChar:
            return visit(char{}), true;
        case entryInt8:
            return visit(std::int8_t{}), true;
        case entryUchar:
        case entryUint8:
        case entryByte:
            return visit(std::uint8_t{}), true;
        case entryShort:
        case entryInt16:
            return visit(std::int16_t{}), true;
        case entryUshort:
        case entryUint16:
            return visit(std::uint16_t{}), true;
        case entryInt:
        case entryInt32:
            return visit(std::int32_t{}), true;
        case entryUint:
        case entryUint32:
        case entryCategory:
        case entryColor:
        case entryPid32:
        case entryTid32:
            return visit(std::uint32_t{}), true;
        case entryLong:
            return visit(long{}), true;
        case entryLongLong:
        case entryInt64:
            return visit(std::int64_t{}), true;
        case entryUlong:
            return visit(0UL), true;
        case entryUlongLong:
        case entryUint64:
        case entryScope:
        case entryPid64:
        case entryTid64:
            return visit(std::uint64_t{}), true;
        case entrySize:
            return visit(std::size_t{}), true;
        case entryAddress:
            return visit(std::uintptr_t{}), true;
        case entryRegisteredString:
            return visit(String{}), true;
        case entryFloat:
        case entryFloat32:
            return visit(float{}), true;
        case entryDouble:
        case entryFloat64:
            return visit(double{}), true;
        default:
            return false;
    }
}

/// Size and alignment in one: scalars are aligned to their size on this machine. 0: not kept, but see pointerSized.
std::size_t scalarSize(std::uint64_t type) {
    std::size_t size = 0;
    withType(type, [&](auto value) { size = sizeof(value); });
    return size;
}

/// Bytes that an entry takes in the payload; nothing when it cannot be told (arrays by length, nested schemas).
std::optional<std::size_t> sizeInPayload(const SchemaEntry& entry) {
    constexpr std::uint64_t kArrayMask = 7U << 4U;
    constexpr std::uint64_t kFixedArray = 1U << 4U;
    const bool textPointer = entry.type >= entryCstring && entry.type <= entryCstringUtf32;
    if ((entry.flags & kEntryIsPointer) != 0 || (textPointer && (entry.flags & kArrayMask) == 0)) return sizeof(void*);
    const std::size_t size = scalarSize(entry.type);
    if (size == 0) return std::nullopt;
    if ((entry.flags & kArrayMask) == 0) return size;
    if ((entry.flags & kArrayMask) == kFixedArray) return size * entry.arrayOrUnionDetail;
    return std::nullopt;
}

}  // namespace

std::string_view fieldType(std::uint64_t type) {
    std::string_view name;
    withType(type, [&]<typename T>(T) {
        name = std::is_floating_point_v<T> ? "float64" : std::is_same_v<T, String> ? "text" : "int64";
    });
    return name;
}

PayloadSchema readSchema(const SchemaAttributes& attributes) {
    PayloadSchema schema;
    if ((attributes.fields & schemaHasName) != 0 && attributes.name != nullptr) schema.name = attributes.name;
    if ((attributes.fields & schemaHasEntries) == 0 || (attributes.fields & schemaHasEntryCount) == 0 ||
        attributes.entries == nullptr) {
        return schema;
    }
    std::optional<std::uint64_t> end = 0;  // where the previous entry ends
    for (std::size_t i = 0; i < attributes.entryCount; ++i) {
        const SchemaEntry& entry = attributes.entries[i];
        const std::optional<std::size_t> size = sizeInPayload(entry);
        const std::size_t alignment =
            std::max<std::size_t>((entry.flags & kEntryIsPointer) != 0 ? sizeof(void*) : scalarSize(entry.type), 1);
        // An offset of 0 behind the first entry means "not given": naturally aligned after the previous one.
        std::optional<std::uint64_t> offset = entry.offset;
        if (i > 0 && entry.offset == 0) {
            offset = end ? std::optional((*end + alignment - 1) / alignment * alignment) : std::nullopt;
        }
        const bool kept = offset && scalarSize(entry.type) != 0 && (entry.flags & kEntryIsArrayOrPointer) == 0;
        if (kept) {
            schema.fields.push_back(
                {entry.name != nullptr ? entry.name : "field" + std::to_string(i), entry.type, *offset});
        } else {
            ++schema.skipped;
        }
        end = offset && size ? std::optional(*offset + *size) : std::nullopt;
    }
    return schema;
}

PayloadSchema singleValueSchema(std::uint64_t type) {
    PayloadSchema schema;
    schema.name = "nvtx.value";
    if (scalarSize(type) != 0) schema.fields.push_back({"value", type, 0});
    return schema;
}

std::vector<PayloadValue> decodePayload(const PayloadSchema& schema, std::span<const std::byte> bytes,
                                        const std::function<std::string(std::uint64_t)>& registered) {
    std::vector<PayloadValue> values;
    values.reserve(schema.fields.size());
    for (const auto& field : schema.fields) {
        PayloadValue decoded;
        withType(field.type, [&]<typename T>(T value) {
            if (field.offset > bytes.size() || bytes.size() - field.offset < sizeof(value)) return;
            std::memcpy(&value, bytes.data() + field.offset, sizeof(value));
            if constexpr (std::is_floating_point_v<T>) {
                decoded = static_cast<double>(value);
            } else if constexpr (std::is_same_v<T, String>) {
                decoded = registered(reinterpret_cast<std::uintptr_t>(value));
            } else {
                decoded = static_cast<std::int64_t>(value);  // 64-bit handles keep their bits
            }
        });
        values.push_back(std::move(decoded));
    }
    return values;
}

}  // namespace orrery::inject
