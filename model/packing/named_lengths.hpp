// Document lengths of kinds of text, by name, for when there is no file of real ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/packing/length_distribution.hpp"

namespace orrery {

/// A mixture of distributions.
struct NamedLengths {
    struct Part {
        double odds = 1.0;
        LengthDistribution lengths;
    };
    std::string_view name, summary;
    std::vector<Part> parts;
};

/// "web", "code", "papers", "books": log-normal with the mean document size of Pile-CC, GitHub, ArXiv and PG-19 (Gao et
/// al. 2020, arXiv 2101.00027, table 1: 4.33, 5.25, 46.61, 398.73 KiB) at 4 bytes a token. The paper gives no spread
/// and no bytes a token for each; sigma 1.2, 1.4, 0.8, 0.8 and the 4 bytes are ours. "long-context": 80 % web, 10 %
/// code, 7 % papers, 3 % books by count, a mixture of ours.
[[nodiscard]] std::span<const NamedLengths> namedLengths();
[[nodiscard]] const NamedLengths* findNamedLengths(std::string_view name);

/// Draws documents until there are `tokens`. The same seed gives the same documents.
[[nodiscard]] std::vector<std::int64_t> drawLengths(const NamedLengths& named, std::int64_t tokens, std::uint64_t seed);

}  // namespace orrery
