#include "importers/nsys/rank_hints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace orrery::importers {
namespace {

constexpr std::int64_t kMostRanks = 100'000'000;

/// The number that a text starts with, as far as it can be a rank.
std::optional<std::int64_t> leadingNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || number > kMostRanks) return std::nullopt;
    return number;
}

}  // namespace

std::optional<std::int64_t> rankInThreadName(std::string_view name) {
    constexpr std::string_view kPrefix = "MPI Rank ";
    return name.starts_with(kPrefix) ? leadingNumber(name.substr(kPrefix.size())) : std::nullopt;
}

RankHint rankInEnvironment(NsysDatabase& database) {
    static constexpr std::array<std::string_view, 4> kRank{
        "RANK=", "OMPI_COMM_WORLD_RANK=", "PMI_RANK=", "SLURM_PROCID="};
    static constexpr std::array<std::string_view, 4> kSize{
        "WORLD_SIZE=", "OMPI_COMM_WORLD_SIZE=", "PMI_SIZE=", "SLURM_NTASKS="};
    RankHint hint;
    auto rows = database.read("META_DATA_CAPTURE", {"name", "value"}, 2);
    while (rows.next()) {
        if (rows.text(0).find("ENVIRONMENT") == std::string_view::npos) continue;
        const std::string_view text = rows.text(1);
        for (const auto prefix : kRank) {
            if (!hint.rank && text.starts_with(prefix)) hint.rank = leadingNumber(text.substr(prefix.size()));
        }
        for (const auto prefix : kSize) {
            if (!hint.worldSize && text.starts_with(prefix)) hint.worldSize = leadingNumber(text.substr(prefix.size()));
        }
    }
    return hint;
}

std::optional<std::int64_t> rankInFileName(std::string_view file) {
    std::string lower(file);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto found = lower.rfind("rank");
    if (found == std::string::npos) return std::nullopt;
    std::string_view rest = std::string_view(lower).substr(found + 4);
    if (!rest.empty() && (rest.front() == '_' || rest.front() == '-' || rest.front() == '.')) rest.remove_prefix(1);
    return leadingNumber(rest);
}

}  // namespace orrery::importers
