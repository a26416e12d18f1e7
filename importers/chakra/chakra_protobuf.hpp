// Chakra's own file: length-delimited protobuf messages, first what holds for all, then the nodes.
#pragma once

#include <string_view>

#include "importers/chakra/chakra_graph.hpp"

namespace orrery::importers {

/// Whether a file could begin so: the length of a message that begins with a version or an attribute.
[[nodiscard]] bool looksLikeChakra(std::string_view head);

/// Reads until the text ends, a message of length 0, or one that is cut short; broken messages are counted. Never
/// throws.
[[nodiscard]] ChakraGraph readChakraProtobuf(std::string_view text, const Progress& progress);

}  // namespace orrery::importers
