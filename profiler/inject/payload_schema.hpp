// From the raw bytes of a payload to typed values, by the schema that the program registered.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/store/profile_rows.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {

/// A field of a schema that a profile keeps: a number, or a string registered with NVTX.
struct SchemaField {
    std::string name;
    std::uint64_t type = 0;  ///< nvtx::abi::EntryType
    std::uint64_t offset = 0;
};
struct PayloadSchema {
    std::string name;
    std::vector<SchemaField> fields;
    int skipped = 0;  ///< entries that are not kept: arrays, pointers, text, nested schemas, wide or half floats
};

/// How a profile names the type of a field: "int64", "float64" or "text"; empty for a type that is not kept.
[[nodiscard]] std::string_view fieldType(std::uint64_t type);

/// The entries that can be kept, with their offsets. Entries whose place cannot be known (no offset given, behind an
/// entry of unknown size) are skipped.
[[nodiscard]] PayloadSchema readSchema(const nvtx::abi::SchemaAttributes& attributes);

/// A payload that is a single value of a type (no schema of the program's own): field "value" of schema "nvtx.value".
/// No fields when the type is not kept.
[[nodiscard]] PayloadSchema singleValueSchema(std::uint64_t type);

/// One value a field; nothing for fields outside the bytes. `registered` resolves handles of registered strings.
[[nodiscard]] std::vector<PayloadValue> decodePayload(const PayloadSchema& schema, std::span<const std::byte> bytes,
                                                      const std::function<std::string(std::uint64_t)>& registered);

}  // namespace orrery::inject
