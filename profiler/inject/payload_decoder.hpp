// From the raw bytes of a payload to typed values, by the schema the program registered.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/store/profile_rows.hpp"
#include "profiler/inject/names.hpp"

namespace orrery::inject {

/// Bytes of a scalar schema entry on this machine; 0 for types that a profile does not keep.
[[nodiscard]] std::size_t scalarSize(std::uint64_t type);

/// "int64", "float64", "text"; how payload_fields.type names an entry.
[[nodiscard]] std::string_view entryTypeName(std::uint64_t type);

/// One value a field, in order; nothing for fields that are not scalars or lie outside the bytes.
[[nodiscard]] std::vector<PayloadValue> decodePayload(const SchemaInfo& schema, std::span<const std::byte> bytes);

}  // namespace orrery::inject
