#include "model/ops/op.hpp"

#include <array>
#include <utility>

namespace orrery {
namespace {
using namespace std::string_view_literals;

constexpr std::array kClasses{
    std::pair{OpClass::gemm, "gemm"sv},
    std::pair{OpClass::groupedGemm, "grouped_gemm"sv},
    std::pair{OpClass::attention, "attention"sv},
    std::pair{OpClass::norm, "norm"sv},
    std::pair{OpClass::elementwise, "elementwise"sv},
    std::pair{OpClass::embedding, "embedding"sv},
    std::pair{OpClass::crossEntropy, "cross_entropy"sv},
    std::pair{OpClass::optimizer, "optimizer"sv},
    std::pair{OpClass::allReduce, "all_reduce"sv},
    std::pair{OpClass::allGather, "all_gather"sv},
    std::pair{OpClass::reduceScatter, "reduce_scatter"sv},
    std::pair{OpClass::allToAll, "all_to_all"sv},
    std::pair{OpClass::broadcast, "broadcast"sv},
    std::pair{OpClass::sendRecv, "send_recv"sv},
    std::pair{OpClass::copy, "copy"sv},
    std::pair{OpClass::host, "host"sv},
    std::pair{OpClass::other, "other"sv},
};

constexpr std::array kPasses{
    std::pair{Pass::forward, "forward"sv},
    std::pair{Pass::backwardInput, "backward_input"sv},
    std::pair{Pass::backwardWeight, "backward_weight"sv},
    std::pair{Pass::optimizer, "optimizer"sv},
};

template <typename Table, typename Value>
std::string_view nameIn(const Table& table, Value value) {
    for (const auto& [known, text] : table) {
        if (known == value) return text;
    }
    return "other";
}

template <typename Value, typename Table>
std::optional<Value> valueIn(const Table& table, std::string_view text) {
    for (const auto& [value, known] : table) {
        if (known == text) return value;
    }
    return std::nullopt;
}
}  // namespace

std::string_view name(OpClass cls) {
    return nameIn(kClasses, cls);
}
std::optional<OpClass> parseOpClass(std::string_view text) {
    return valueIn<OpClass>(kClasses, text);
}
std::string_view name(Pass pass) {
    return nameIn(kPasses, pass);
}
std::optional<Pass> parsePass(std::string_view text) {
    return valueIn<Pass>(kPasses, text);
}

bool isCollective(OpClass cls) {
    return cls >= OpClass::allReduce && cls <= OpClass::sendRecv;
}

}  // namespace orrery
