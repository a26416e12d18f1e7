// Drawn documents: the same seed gives the same lengths, distributions have the moments they promise, and packing
// neither loses nor invents tokens.
#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/packing/concatenate.hpp"
#include "model/packing/length_distribution.hpp"

using namespace orrery;

namespace {
std::vector<double> sample(const LengthDistribution& distribution, std::uint64_t seed, int count = 20000) {
    LengthGenerator generator(distribution, seed);
    std::vector<double> lengths(static_cast<std::size_t>(count));
    std::generate(lengths.begin(), lengths.end(), [&] { return static_cast<double>(generator.next()); });
    return lengths;
}

double mean(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}
}  // namespace

TEST_CASE("distributions have the mean or median that their parameters say", "[packing]") {
    constexpr std::int64_t kLong = 1'000'000'000;
    const std::uint64_t seed = GENERATE(1U, 7U, 12345U);
    // Tolerances are about four standard errors of 20,000 draws.
    CHECK(mean(sample({LengthFamily::uniform, 0, 0, 0, 0, 100, 300}, seed)) == Approx(200.0).epsilon(0.01));
    CHECK(mean(sample({LengthFamily::exponential, 0, 0, 5000, 0, 1, kLong}, seed)) == Approx(5000.0).epsilon(0.03));
    CHECK(median(sample({LengthFamily::lognormal, 2000, 0.9, 0, 0, 1, kLong}, seed)) == Approx(2000.0).epsilon(0.03));
    // P(x > min k) = k^-alpha: the median is min 2^(1/alpha).
    CHECK(median(sample({LengthFamily::pareto, 0, 0, 0, 1.5, 100, kLong}, seed)) ==
          Approx(100 * std::pow(2.0, 1 / 1.5)).epsilon(0.03));
}

TEST_CASE("a seed names its documents, and another seed others", "[packing]") {
    const LengthDistribution lognormal{LengthFamily::lognormal, 2000, 0.9, 0, 0, 1, 8192};
    CHECK(sample(lognormal, 3, 100) == sample(lognormal, 3, 100));
    CHECK(sample(lognormal, 3, 100) != sample(lognormal, 4, 100));
    for (const double length : sample(lognormal, 5)) REQUIRE((length >= 1 && length <= 8192));
}

TEST_CASE("concatenation fills every micro-batch and keeps the order and the tokens of the documents", "[packing]") {
    rc::check("law", [] {
        const PackShape shape{*rc::gen::inRange(1, 50), *rc::gen::inRange(1, 200), *rc::gen::inRange(1, 6),
                              *rc::gen::inRange(1, 4)};
        std::vector<std::int64_t> drawn;
        const Workload workload = concatenateAndChunk(shape, [&] {
            drawn.push_back(*rc::gen::inRange(1, 120));
            return drawn.back();
        });
        RC_ASSERT(static_cast<int>(workload.replicas.size()) == shape.replicas);
        std::vector<std::int64_t> ends;  // positions in the stream of tokens where pieces end
        std::int64_t position = 0;
        for (std::int64_t m = 0; m < shape.microBatches; ++m) {
            for (const auto& replica : workload.replicas) {
                const MicroBatch& microBatch = replica.at(static_cast<std::size_t>(m));
                RC_ASSERT(microBatch.tokens() == shape.tokensPerMicroBatch);
                for (const std::int64_t piece : microBatch.documents) {
                    RC_ASSERT(piece >= 1);
                    RC_ASSERT(piece <= shape.sequenceLength);
                    ends.push_back(position += piece);
                }
            }
        }
        std::int64_t end = 0;  // every document ends where a piece ends, but for the last, which may be cut off
        for (std::size_t i = 0; i + 1 < drawn.size(); ++i) {
            end += drawn[i];
            RC_ASSERT(std::binary_search(ends.begin(), ends.end(), end));
        }
    });
}
