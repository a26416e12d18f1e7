// Execution traces as JSON: PyTorch's own ("schema" and "nodes"), the input of Chakra's feeder ("workload_graph"), and
// protobuf-JSON messages one behind the other, as chakra_jsonizer writes them.
#pragma once

#include <string_view>

#include "importers/chakra/chakra_graph.hpp"

namespace orrery::importers {

[[nodiscard]] bool looksLikeChakraJson(std::string_view head);

/// Reads node by node; what does not parse is counted with its place. Never throws on content.
[[nodiscard]] ChakraGraph readChakraJson(std::string_view text, const Progress& progress);

}  // namespace orrery::importers
