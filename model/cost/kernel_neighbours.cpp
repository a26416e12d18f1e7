#include "model/cost/kernel_neighbours.hpp"

#include <bit>
#include <cmath>

namespace orrery {
namespace {
float log2Of(double value) {
    return static_cast<float>(std::log2(value > 1.0 ? value : 1.0));
}
float log2Of(std::int64_t value) {
    return log2Of(static_cast<double>(value));
}
}  // namespace

ShapePoint shapePoint(const Op& op) {
    switch (op.cls) {
        case OpClass::gemm:
        case OpClass::groupedGemm:
            return {log2Of(op.m), log2Of(op.n), log2Of(op.k), log2Of(op.groups)};
        case OpClass::attention:
            return {log2Of(op.tokens), log2Of(op.tokens > 0 ? op.pairs / static_cast<double>(op.tokens) : 1.0),
                    log2Of(op.heads), log2Of(op.headDim)};
        default:
            return {log2Of(op.bytes.value()), 0.0F, 0.0F, 0.0F};
    }
}

float distance(const ShapePoint& a, const ShapePoint& b) {
    float sum = 0.0F;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    // The finaliser of SplitMix64 (Steele et al. 2014) over a running combination.
    std::uint64_t x = a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2));
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

std::uint64_t nameHash(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return text.empty() ? 0 : hash;
}

std::uint64_t shapeHash(const Op& op) {
    const auto u = [](auto v) { return static_cast<std::uint64_t>(v); };
    std::uint64_t hash = u(op.cls) << 16 | u(op.pass) << 8 | u(op.dtype);
    switch (op.cls) {
        case OpClass::gemm:
        case OpClass::groupedGemm:
            return mix(mix(hash, u(op.m) << 32 ^ u(op.n)), u(op.k) << 32 ^ u(op.groups));
        case OpClass::attention:
            hash = mix(hash, std::bit_cast<std::uint64_t>(op.pairs));
            hash = mix(hash, u(op.tokens) << 32 ^ u(op.heads) << 16 ^ u(op.kvHeads));
            return mix(hash, u(op.headDim) << 32 ^ u(op.valueHeadDim));
        default:
            return mix(hash, std::bit_cast<std::uint64_t>(op.bytes.value()));
    }
}

}  // namespace orrery
