// Sizes of tensor elements by the names that frameworks give their types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::importers {

/// Bytes of an element by PyTorch's name of the type ("BFloat16", "float32"); nothing for names we do not know.
[[nodiscard]] std::optional<std::int64_t> elementBytes(std::string_view dtype);

/// Bytes of `elements` elements; nothing when the type is unknown, there are no elements, or the product is absurd.
[[nodiscard]] std::optional<std::int64_t> tensorBytes(std::string_view dtype, std::int64_t elements);

}  // namespace orrery::importers
