// Numeric formats of tensors and matrix units.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/units/quantity.hpp"

namespace orrery {

enum class DType : std::uint8_t { fp32, tf32, fp16, bf16, fp8, fp4 };

/// Bytes that one element occupies in memory (fp4: half a byte; tf32 is stored as fp32).
[[nodiscard]] Bytes elementSize(DType dtype);

/// "bf16" and so on; the names that scenarios, catalogs and calibrations use.
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> parseDType(std::string_view text);

}  // namespace orrery
