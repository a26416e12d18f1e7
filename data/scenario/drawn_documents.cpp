#include "data/scenario/drawn_documents.hpp"

#include <limits>
#include <random>

#include <fmt/format.h>

#include "data/lengths/lengths_file.hpp"
#include "model/packing/concatenate.hpp"
#include "model/packing/length_distribution.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 31U;

double needed(const StrictTable& fields, const char* key, const std::optional<double>& value,
              const std::string& family) {
    if (!value) fields.fail(key, fmt::format("is missing; distribution = \"{}\" needs it", family));
    return *value;
}

LengthDistribution distributionOf(const StrictTable& fields, const DrawnDocuments& drawn, std::int64_t longest) {
    const std::string& name = *drawn.family;
    const auto family = parseLengthFamily(name);
    if (!family) {
        fields.fail("distribution", fmt::format("'{}' is not one of uniform, exponential, lognormal, pareto", name));
    }
    LengthDistribution distribution;
    distribution.family = *family;
    distribution.minimum = drawn.minimum.value_or(1);
    distribution.maximum = drawn.maximum.value_or(longest);
    if (distribution.minimum > distribution.maximum) {
        fields.fail("minimum", fmt::format("{} is more than the longest document, {}", distribution.minimum,
                                           distribution.maximum));
    }
    if (*family == LengthFamily::exponential) distribution.mean = needed(fields, "mean", drawn.mean, name);
    if (*family == LengthFamily::pareto) distribution.alpha = needed(fields, "alpha", drawn.alpha, name);
    if (*family == LengthFamily::lognormal) {
        distribution.median = needed(fields, "median", drawn.median, name);
        distribution.sigma = needed(fields, "sigma", drawn.sigma, name);
    }
    return distribution;
}

}  // namespace

DrawnDocuments readDrawnDocuments(StrictTable& fields) {
    constexpr double kMost = 2147483648.0;
    DrawnDocuments drawn;
    drawn.file = fields.text("lengths_file");
    drawn.family = fields.text("distribution");
    drawn.charactersPerToken = fields.number("characters_per_token", 0.01, 1e6);
    drawn.median = fields.number("median", 1.0, kMost);
    drawn.sigma = fields.number("sigma", 0.0, 10.0);
    drawn.mean = fields.number("mean", 1.0, kMost);
    drawn.alpha = fields.number("alpha", 0.05, 100.0);
    drawn.minimum = fields.integer("minimum", 1, kLongest);
    drawn.maximum = fields.integer("maximum", 1, kLongest);
    drawn.seed = fields.integer("seed", 0, std::numeric_limits<std::int64_t>::max());
    drawn.microBatches = fields.integer("micro_batches", 1, 1'000'000);
    drawn.tokensPerMicroBatch = fields.integer("tokens_per_micro_batch", 1, kLongest);
    return drawn;
}

Workload packDrawn(const StrictTable& fields, const DrawnDocuments& drawn, const std::filesystem::path& folder,
                   std::int64_t sequenceLength, std::int64_t microBatch, int dp) {
    if (drawn.file && drawn.family) fields.fail("distribution", "stands beside lengths_file; give one of the two");
    if (!drawn.microBatches) fields.fail("micro_batches", "is missing; give the micro-batches of a replica in a step");
    if (microBatch > kLongest / sequenceLength) fields.fail("micro_batch", "makes more than 2^31 tokens; give fewer");
    const PackShape shape{sequenceLength, drawn.tokensPerMicroBatch.value_or(sequenceLength * microBatch),
                          *drawn.microBatches, dp};
    const auto seed = static_cast<std::uint64_t>(drawn.seed.value_or(1));
    if (drawn.family) {
        LengthGenerator generator(distributionOf(fields, drawn, sequenceLength), seed);
        return concatenateAndChunk(shape, [&] { return generator.next(); });
    }
    const std::vector<std::int64_t> lengths = readLengths(folder / *drawn.file, drawn.charactersPerToken.value_or(0.0));
    std::mt19937_64 engine(seed);
    std::size_t place = 0;
    return concatenateAndChunk(shape, [&] {
        if (drawn.seed) return lengths[engine() % lengths.size()];
        if (place == lengths.size()) {
            fields.fail("lengths_file",
                        fmt::format("its {} documents do not fill {} micro-batches of {} tokens in {} replicas; give a "
                                    "seed to draw from them again and again",
                                    lengths.size(), shape.microBatches, shape.tokensPerMicroBatch, shape.replicas));
        }
        return lengths[place++];
    });
}

}  // namespace orrery
