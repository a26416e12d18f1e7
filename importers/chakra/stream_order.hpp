// Starts for nodes that have durations but no times: as soon as what they depend on is done and their stream is free.
#pragma once

#include <cstdint>

#include "importers/chakra/chakra_graph.hpp"

namespace orrery::importers {

struct StreamOrder {
    std::int64_t placed = 0;    ///< nodes that got a start
    std::int64_t inCycles = 0;  ///< nodes that wait for each other, placed last, in the order of the file
    std::int64_t unknownDeps = 0;
};

/// Sets `start` of every node. Traces name few dependencies between device work (mlcommons/chakra #215), so nodes of
/// one stream, of one thread, and communication without a stream run one after the other, in the order in which they
/// become ready. A node without a duration takes no time here.
StreamOrder addStreamOrder(ChakraGraph& graph);

}  // namespace orrery::importers
