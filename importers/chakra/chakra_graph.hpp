// An execution trace as a graph of nodes, whichever file it came from: Chakra's protobuf or JSON, or PyTorch's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "importers/importer.hpp"
#include "model/ops/op.hpp"

namespace orrery::importers {

enum class ChakraKind : std::uint8_t { other, metadata, load, store, compute, send, receive, collective };
[[nodiscard]] std::string_view name(ChakraKind kind);
/// 0 to 7 as in the schema's NodeType; `other` for numbers beyond.
[[nodiscard]] ChakraKind chakraKind(std::int64_t nodeType);
[[nodiscard]] inline bool communicates(ChakraKind kind) {
    return kind == ChakraKind::send || kind == ChakraKind::receive || kind == ChakraKind::collective;
}

/// A value of an attribute, whichever arm of the schema's oneof held it.
using ChakraValue = std::variant<std::int64_t, double, std::string>;

struct ChakraNode {
    std::uint64_t id = 0;
    std::string name;
    ChakraKind kind = ChakraKind::other;
    std::vector<std::uint64_t> controlDeps, dataDeps;
    std::optional<std::int64_t> start, duration;  ///< ns; absent is not zero
    std::optional<bool> onHost;
    std::optional<std::int64_t> stream, thread, collectiveType, bytes, source, destination, tag, groupSize, sequence;
    std::optional<std::int64_t> inElements, outElements;
    std::string collective, dtype, group, groupDescription;

    /// Takes an attribute that producers are known to write; others are left.
    void setAttribute(std::string_view key, const ChakraValue& value);
    /// Host work: said to be, or an operator of a trace that says so of none.
    [[nodiscard]] bool isHost() const { return onHost.value_or(false); }
    /// The collective by its number in the schema, else by its names; `other` when neither says.
    [[nodiscard]] OpClass opClass() const;
    /// Size of the message: as stated, else from elements and type.
    [[nodiscard]] std::optional<std::int64_t> messageBytes() const;
};

struct ChakraGroup {
    std::string name, description, ranks;
    std::optional<std::int64_t> size;
};

struct ChakraGraph {
    std::string version;
    std::vector<ChakraNode> nodes;
    std::vector<ChakraGroup> groups;
    std::optional<std::int64_t> rank, worldSize, pid;
    std::vector<Warning> warnings;
};

}  // namespace orrery::importers
