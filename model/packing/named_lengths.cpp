#include "model/packing/named_lengths.hpp"

#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 22U;

/// Log-normal of a mean size in KiB: the median is the mean over exp(sigma^2 / 2).
LengthDistribution ofMean(double kib, double sigma) {
    constexpr double kBytesPerToken = 4.0;
    LengthDistribution lengths;
    lengths.family = LengthFamily::lognormal;
    lengths.sigma = sigma;
    lengths.median = kib * 1024.0 / kBytesPerToken / std::exp(sigma * sigma / 2.0);
    lengths.minimum = 10;
    lengths.maximum = kLongest;
    return lengths;
}

}  // namespace

std::span<const NamedLengths> namedLengths() {
    static const std::array<NamedLengths, 5> all = [] {
        const LengthDistribution web = ofMean(4.33, 1.2);
        const LengthDistribution code = ofMean(5.25, 1.4);
        const LengthDistribution papers = ofMean(46.61, 0.8);
        const LengthDistribution books = ofMean(398.73, 0.8);
        return std::array<NamedLengths, 5>{{
            {"web", "web pages", {{1.0, web}}},
            {"code", "source files", {{1.0, code}}},
            {"papers", "scientific papers", {{1.0, papers}}},
            {"books", "books", {{1.0, books}}},
            {"long-context", "web, code, papers and books", {{0.8, web}, {0.1, code}, {0.07, papers}, {0.03, books}}},
        }};
    }();
    return all;
}

const NamedLengths* findNamedLengths(std::string_view name) {
    for (const NamedLengths& named : namedLengths()) {
        if (named.name == name) return &named;
    }
    return nullptr;
}

std::vector<std::int64_t> drawLengths(const NamedLengths& named, std::int64_t tokens, std::uint64_t seed) {
    std::vector<LengthGenerator> generators;
    for (std::size_t i = 0; i < named.parts.size(); ++i)
        generators.emplace_back(named.parts[i].lengths, seed * 1'000'003U + i + 1);
    std::mt19937_64 engine(seed);
    std::vector<std::int64_t> lengths;
    while (tokens > 0) {
        double left = static_cast<double>(engine() >> 11U) * 0x1p-53;
        std::size_t part = 0;
        while (part + 1 < named.parts.size() && (left -= named.parts[part].odds) >= 0.0) ++part;
        lengths.push_back(generators[part].next());
        tokens -= lengths.back();
    }
    return lengths;
}

}  // namespace orrery
