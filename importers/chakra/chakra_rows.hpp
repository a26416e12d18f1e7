// A graph of nodes into the rows of a profile, as far as a profile can hold it.
#pragma once

#include <string>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "importers/chakra/chakra_graph.hpp"

namespace orrery::importers {

/// Every node becomes a range with its type and dependencies as payload ("chakra.node"); a device node whose duration
/// is known is a kernel as well, and communication a collective. Without any times, ranges have no duration and start
/// at 0.
void writeChakraGraph(ChakraGraph& graph, const std::string& file, ProfileWriter& out, std::vector<Warning>& warnings);

}  // namespace orrery::importers
