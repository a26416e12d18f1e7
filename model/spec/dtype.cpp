#include "model/spec/dtype.hpp"

#include <array>
#include <utility>

namespace orrery {
namespace {
constexpr std::array kNames{
    std::pair{DType::fp32, std::string_view("fp32")}, std::pair{DType::tf32, std::string_view("tf32")},
    std::pair{DType::fp16, std::string_view("fp16")}, std::pair{DType::bf16, std::string_view("bf16")},
    std::pair{DType::fp8, std::string_view("fp8")},   std::pair{DType::fp4, std::string_view("fp4")},
};
}  // namespace

Bytes elementSize(DType dtype) {
    switch (dtype) {
        case DType::fp32:
        case DType::tf32:
            return 4_B;
        case DType::fp16:
        case DType::bf16:
            return 2_B;
        case DType::fp8:
            return 1_B;
        case DType::fp4:
            return 0.5_B;
    }
    return 4_B;
}

std::string_view name(DType dtype) {
    for (const auto& [type, text] : kNames) {
        if (type == dtype) return text;
    }
    return "fp32";
}

std::optional<DType> parseDType(std::string_view text) {
    for (const auto& [type, known] : kNames) {
        if (known == text) return type;
    }
    return std::nullopt;
}

}  // namespace orrery
