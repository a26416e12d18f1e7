#include "importers/chakra/chakra_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "data/catalog/kernel_rules.hpp"
#include "importers/collectives/element_size.hpp"
#include "importers/collectives/nccl_kernel.hpp"
#include "importers/io/time_range.hpp"

namespace orrery::importers {
namespace {

std::optional<std::int64_t> number(const ChakraValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    if (const auto* real = std::get_if<double>(&value); real != nullptr && std::abs(*real) < 9e18)
        return static_cast<std::int64_t>(*real);
    return std::nullopt;
}

/// Times and sizes: what is negative or beyond reason is not known.
std::optional<std::int64_t> quantity(const ChakraValue& value) {
    const auto result = number(value);
    return result && *result >= 0 && isTime(*result) ? result : std::nullopt;
}

std::string text(const ChakraValue& value) {
    const auto* found = std::get_if<std::string>(&value);
    return found == nullptr ? std::string{} : *found;
}

}  // namespace

std::string_view name(ChakraKind kind) {
    static constexpr std::array<std::string_view, 8> kNames{"other",   "metadata", "load",    "store",
                                                            "compute", "send",     "receive", "collective"};
    return kNames[static_cast<std::size_t>(kind)];
}

ChakraKind chakraKind(std::int64_t nodeType) {
    return nodeType >= 0 && nodeType <= 7 ? static_cast<ChakraKind>(nodeType) : ChakraKind::other;
}

void ChakraNode::setAttribute(std::string_view key, const ChakraValue& value) {
    if (key == "is_cpu_op") {
        if (const auto flag = number(value)) onHost = *flag != 0;
    } else if (key == "stream") {
        stream = number(value);
    } else if (key == "tid") {
        thread = number(value);
    } else if (key == "comm_type") {
        collectiveType = number(value);
    } else if (key == "comm_size") {
        bytes = quantity(value);
    } else if (key == "comm_src") {
        source = number(value);
    } else if (key == "comm_dst") {
        destination = number(value);
    } else if (key == "comm_tag") {
        tag = number(value);
    } else if (key == "pg_name") {
        group = text(value);
        if (group.empty() && number(value)) group = std::to_string(*number(value));
    } else if (key == "pg_desc") {
        groupDescription = text(value);
    } else if (key == "pg_size") {
        groupSize = quantity(value);
    } else if (key == "collective_name") {
        collective = text(value);
    } else if (key == "dtype") {
        dtype = text(value);
    } else if (key == "in_msg_nelems") {
        inElements = quantity(value);
    } else if (key == "out_msg_nelems") {
        outElements = quantity(value);
    } else if (key == "seq") {
        sequence = number(value);
    } else if (key == "orrery_start_ns") {  // ours: the schema's times are whole microseconds
        start = quantity(value);
    } else if (key == "orrery_duration_ns") {
        duration = quantity(value);
    }
}

OpClass ChakraNode::opClass() const {
    if (kind == ChakraKind::send || kind == ChakraKind::receive) return OpClass::sendRecv;
    if (kind == ChakraKind::load || kind == ChakraKind::store) return OpClass::copy;
    if (kind != ChakraKind::collective) return classifyKernel(name);
    if (collectiveType) {
        switch (*collectiveType) {  // the schema's CollectiveCommType
            case 0:
            case 9:  // a barrier is an all-reduce of nothing
                return OpClass::allReduce;
            case 2:
                return OpClass::allGather;
            case 5:
                return OpClass::broadcast;
            case 6:
                return OpClass::allToAll;
            case 7:
            case 8:
                return OpClass::reduceScatter;
            default:
                return OpClass::other;
        }
    }
    return collectiveClass(collective.empty() ? name : collective).value_or(OpClass::other);
}

std::optional<std::int64_t> ChakraNode::messageBytes() const {
    if (bytes) return bytes;
    if (!inElements && !outElements) return std::nullopt;
    return tensorBytes(dtype, std::max(inElements.value_or(0), outElements.value_or(0)));
}

}  // namespace orrery::importers
