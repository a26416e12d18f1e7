// What the workload trains and how it is split, as its command line says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::workload {

/// Sizes of the transformer: Llama's shape (RMSNorm, rotary positions, gated MLP, no biases, untied output layer).
struct TransformerConfig {
    int layers = 8;
    int hidden = 256;
    int heads = 8;
    int kvHeads = 4;
    int ffn = 704;
    int vocab = 2048;

    [[nodiscard]] int headDim() const { return hidden / heads; }
    [[nodiscard]] int qkvWidth() const { return (heads + 2 * kvHeads) * headDim(); }
};

enum class Schedule : std::uint8_t { gpipe, oneFOneB };

/// Where document lengths come from.
struct LengthSource {
    std::filesystem::path file;  ///< one length a line; empty: draw from the distribution
    double meanTokens = 160.0;   ///< of the log-normal distribution
    double sigma = 0.9;          ///< of ln(length)
    int maxTokens = 512;
    std::uint64_t seed = 1;
};

struct JobConfig {
    TransformerConfig model;
    int pp = 1;
    int dp = 1;
    Schedule schedule = Schedule::oneFOneB;
    int microBatches = 8;  ///< of each replica
    int tokensPerMicroBatch = 512;
    int steps = 5;                 ///< measured ones
    int warmup = 2;                ///< before them
    bool wholeDocuments = false;   ///< a document that does not fit opens the next micro-batch instead of being cut
    bool repeatDocuments = false;  ///< every step trains on the same documents
    std::uint64_t seed = 1;
    LengthSource lengths;
    float learningRate = 3e-3F;
    std::vector<int> layersPerStage;  ///< empty: even, the remainder on the first stages

    [[nodiscard]] int allSteps() const { return warmup + steps; }
};

/// Layers of each stage. \pre config was validated.
[[nodiscard]] std::vector<int> stageLayers(const JobConfig& config);

/// Throws InputError that names the option and the mend; `worldSize` is the number of MPI processes.
void validate(const JobConfig& config, int worldSize);

}  // namespace orrery::workload
