#include "profiler/workload/batch.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::workload {
namespace {

constexpr std::int64_t kLongestDocument = 1'000'000;

std::vector<std::int64_t> readLengths(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in || std::filesystem::is_directory(file))
        throw InputError(fmt::format("{}: cannot be read; name a file with one document length a line", file.string()));
    std::vector<std::int64_t> lengths;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        std::int64_t value = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        if (error != std::errc{} || stop != line.data() + line.size() || value <= 0 || value > kLongestDocument) {
            throw InputError(fmt::format("{}:{}: '{}' is not a document length; write a number from 1 to {}",
                                         file.string(), number, line.substr(0, 40), kLongestDocument));
        }
        lengths.push_back(value);
    }
    if (lengths.empty()) throw InputError(fmt::format("{}: holds no lengths; write one a line", file.string()));
    return lengths;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9E3779B97F4A7C15ULL + b + 0x632BE59BD9B4E019ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

}  // namespace

Corpus::Corpus(const JobConfig& config) : config_(config) {
    if (!config.lengths.file.empty()) fileLengths_ = readLengths(config.lengths.file);
}

Workload Corpus::documents(int step) const {
    const auto draw = static_cast<std::uint64_t>(config_.repeatDocuments ? 0 : step);
    std::mt19937_64 random(mix(config_.lengths.seed, draw));
    // A log-normal with the wanted mean: mu = ln(mean) - sigma^2 / 2.
    std::lognormal_distribution<double> lengths(
        std::log(config_.lengths.meanTokens) - config_.lengths.sigma * config_.lengths.sigma / 2.0,
        config_.lengths.sigma);
    std::size_t next = fileLengths_.empty() ? 0 : (draw * 7919U) % fileLengths_.size();
    const auto nextLength = [&]() -> std::int64_t {
        if (!fileLengths_.empty()) return fileLengths_[next++ % fileLengths_.size()];
        return std::clamp<std::int64_t>(std::llround(lengths(random)), 2, config_.lengths.maxTokens);
    };

    std::optional<std::int64_t> pending;  // a document that did not fit whole
    Workload workload;
    workload.sequenceLength = config_.tokensPerMicroBatch;
    for (int replica = 0; replica < config_.dp; ++replica) {
        auto& microBatches = workload.replicas.emplace_back();
        for (int index = 0; index < config_.microBatches; ++index) {
            MicroBatch& microBatch = microBatches.emplace_back();
            std::int64_t room = config_.tokensPerMicroBatch;
            while (room > 0) {
                std::int64_t length =
                    std::min<std::int64_t>(pending ? *pending : nextLength(), config_.tokensPerMicroBatch);
                pending.reset();
                if (length > room && config_.wholeDocuments) {
                    pending = length;
                    break;
                }
                length = std::min(length, room);
                microBatch.documents.push_back(length);
                room -= length;
            }
        }
    }
    return workload;
}

Tokens Corpus::tokens(const MicroBatch& microBatch, int step, int replica, int index) const {
    const auto vocab = static_cast<std::uint64_t>(config_.model.vocab);
    std::mt19937_64 random(mix(mix(config_.seed, static_cast<std::uint64_t>(step)),
                               static_cast<std::uint64_t>(replica) * static_cast<std::uint64_t>(config_.microBatches) +
                                   static_cast<std::uint64_t>(index)));
    Tokens tokens;
    for (const auto length : microBatch.documents) {
        std::uint64_t token = random() % vocab;
        for (std::int64_t position = 0; position < length; ++position) {
            tokens.inputs.push_back(static_cast<std::int32_t>(token));
            const std::uint64_t likely = mix(config_.seed, token) % vocab;
            token = random() % 4 != 0 ? likely : random() % vocab;
            tokens.targets.push_back(position + 1 < length ? static_cast<std::int32_t>(token) : -1);
        }
    }
    return tokens;
}

double targetCount(const Workload& documents) {
    double count = 0.0;
    for (const auto& replica : documents.replicas) {
        for (const auto& microBatch : replica) {
            count += static_cast<double>(microBatch.tokens()) - static_cast<double>(microBatch.documents.size());
        }
    }
    return std::max(count, 1.0);
}

}  // namespace orrery::workload
