// Which part of a transfer or a collective was waiting for the peers: it follows from the two (or n) ends.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ops/op.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery {

enum class CommEnd : std::uint8_t { send, receive, collective };

/// One rank's end of a communication, on the common clock.
struct CommRecord {
    int rank = 0;
    int stage = -1;
    CommEnd end = CommEnd::collective;
    OpClass cls = OpClass::sendRecv;
    std::int64_t groupSize = 0, peer = -1, sequence = -1, microBatch = -1, step = -1;
    Phase phase = Phase::other;
    std::int64_t start = 0, duration = 0;
};

/// Nanoseconds at the start of each record in which it waited for its peers (0: none, or the peers are not recorded).
/// A transfer starts at the later of its two ends: a receive waits until the send starts; a send waits until the
/// receive starts, but only if it was still in progress then (otherwise it was buffered). A collective starts when its
/// last member arrives.
/// The k-th send from a to b of a (step, phase, micro-batch) meets the k-th receive of the same. Members of a
/// collective have class, group size, step, phase and sequence in common, and the stage when the group is not the
/// whole job of `worldSize` ranks; the record with fewer or more members than the group has is left alone.
[[nodiscard]] std::vector<std::int64_t> commWaits(const std::vector<CommRecord>& records, int worldSize);

}  // namespace orrery
