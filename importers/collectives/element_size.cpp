#include "importers/collectives/element_size.hpp"

#include <array>
#include <utility>

namespace orrery::importers {

std::optional<std::int64_t> elementBytes(std::string_view dtype) {
    static constexpr std::array<std::pair<std::string_view, std::int64_t>, 22> kSizes{{
        {"Float", 4},
        {"float32", 4},
        {"Half", 2},
        {"float16", 2},
        {"BFloat16", 2},
        {"bfloat16", 2},
        {"Double", 8},
        {"Long", 8},
        {"Int", 4},
        {"Short", 2},
        {"Byte", 1},
        {"Char", 1},
        {"Bool", 1},
        {"Float8_e4m3fn", 1},
        {"Float8_e5m2", 1},
        {"ComplexFloat", 8},
        {"Float8_e4m3fnuz", 1},
        {"Float8_e5m2fnuz", 1},
        {"UInt16", 2},
        {"UInt32", 4},
        {"UInt64", 8},
        {"ComplexDouble", 16},
    }};
    for (const auto& [name, size] : kSizes) {
        if (name == dtype) return size;
    }
    return std::nullopt;
}

std::optional<std::int64_t> tensorBytes(std::string_view dtype, std::int64_t elements) {
    const auto size = elementBytes(dtype);
    if (!size || elements <= 0 || elements > (std::int64_t{1} << 50)) return std::nullopt;
    return elements * *size;
}

}  // namespace orrery::importers
