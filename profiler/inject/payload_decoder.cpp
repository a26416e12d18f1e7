#include "profiler/inject/payload_decoder.hpp"

#include <cstring>
#include <type_traits>

namespace orrery::inject {
namespace {

using namespace nvtx::abi;

/// Calls `visit` with a value of the C++ type behind an entry type; false when it is not a scalar number.
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

}  // namespace

std::size_t scalarSize(std::uint64_t type) {
    std::size_t size = 0;
    if (type == entryCstring || type == entryCstringUtf8) return sizeof(const char*);
    withType(type, [&](auto value) { size = sizeof(value); });
    return size;
}

std::string_view entryTypeName(std::uint64_t type) {
    std::string_view name = "unknown";
    withType(type, [&](auto value) { name = std::is_floating_point_v<decltype(value)> ? "float64" : "int64"; });
    return name;
}

std::vector<PayloadValue> decodePayload(const SchemaInfo& schema, std::span<const std::byte> bytes) {
    std::vector<PayloadValue> values;
    for (const auto& field : schema.fields) {
        PayloadValue decoded;
        if (field.scalar) {
            withType(field.type, [&](auto value) {
                if (field.offset > bytes.size() || bytes.size() - field.offset < sizeof(value)) return;
                std::memcpy(&value, bytes.data() + field.offset, sizeof(value));
                if constexpr (std::is_floating_point_v<decltype(value)>) {
                    decoded = static_cast<double>(value);
                } else {
                    decoded = static_cast<std::int64_t>(value);  // 64-bit handles keep their bits
                }
            });
        }
        values.push_back(std::move(decoded));
    }
    return values;
}

}  // namespace orrery::inject
