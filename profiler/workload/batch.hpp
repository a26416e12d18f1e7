// The training data: documents of every micro-batch of a step, the same on every process that asks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/spec/workload.hpp"
#include "profiler/workload/config.hpp"

namespace orrery::workload {

/// Token ids of a micro-batch and what each should predict: the next token of its document, -1 at a document's end.
struct Tokens {
    std::vector<std::int32_t> inputs, targets;
};

/// Deals documents into micro-batches: drawn (or read from the file, round and round) and packed in order until a
/// micro-batch has tokensPerMicroBatch. The document that would overflow it is cut there; with wholeDocuments it opens
/// the next micro-batch instead, so that micro-batches differ in tokens too (only documents longer than a whole
/// micro-batch are cut).
class Corpus {
  public:
    /// Reads the length file if there is one. Throws InputError: unreadable, empty, a line that is no positive number.
    explicit Corpus(const JobConfig& config);

    /// Documents of a step. Deterministic in (seed, step); the same for every step with repeatDocuments.
    [[nodiscard]] Workload documents(int step) const;

    /// A learnable language: each token has one likely successor (3 in 4), else any. Texts are numbered over all
    /// replicas, so that two replicas read what one with twice the micro-batches reads.
    [[nodiscard]] Tokens tokens(const MicroBatch& microBatch, int step, int replica, int index) const;

  private:
    JobConfig config_;
    std::vector<std::int64_t> fileLengths_;
};

/// Tokens that have a target, over all replicas: what the loss is averaged over.
[[nodiscard]] double targetCount(const Workload& documents);

}  // namespace orrery::workload
