#include "importers/nccl_tests/nccl_tests_importer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "importers/io/file_reader.hpp"
#include "importers/nccl_tests/result_line.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

/// Everything the header lines of a run tell; a file may hold several runs.
struct Run {
    OpClass kind = OpClass::other;
    std::set<std::int64_t> ranks;
    std::set<std::string, std::less<>> hosts;
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

OpClass kindOf(std::string_view program) {
    if (contains(program, "all_reduce")) return OpClass::allReduce;
    if (contains(program, "all_gather")) return OpClass::allGather;
    if (contains(program, "reduce_scatter")) return OpClass::reduceScatter;
    if (contains(program, "alltoall")) return OpClass::allToAll;
    if (contains(program, "broadcast")) return OpClass::broadcast;
    if (contains(program, "sendrecv")) return OpClass::sendRecv;
    return OpClass::other;
}

/// Ranks from the bandwidths when no header tells: busbw/algbw of an all-reduce is 2(n-1)/n (nccl-tests
/// PERFORMANCE.md).
std::optional<std::int64_t> ranksFromFactor(OpClass kind, const SweepHalf& half) {
    if (half.algbw <= 1.0) return std::nullopt;  // too few digits
    const double factor = half.busbw / half.algbw;
    const double top = kind == OpClass::allReduce ? 2.0 : 1.0;
    if (kind == OpClass::broadcast || kind == OpClass::sendRecv || factor >= top - 1e-4 || factor <= 0.0)
        return std::nullopt;
    return std::llround(top / (top - factor));
}

void readHeader(std::string_view line, Run& run) {
    if (contains(line, "Collective test starting") || contains(line, "_perf")) {
        if (const OpClass kind = kindOf(line); kind != OpClass::other) run = {kind, {}, {}};
        return;
    }
    // "#  Rank  0 Group  0 Pid  123 on  host device  0 [0000:0f:00] NVIDIA H100"
    const std::size_t rank = line.find("Rank ");
    const std::size_t on = line.find(" on ");
    if (rank == std::string_view::npos || on == std::string_view::npos || !contains(line, "Pid")) return;
    std::size_t digits = line.find_first_not_of(' ', rank + 5);
    std::int64_t number = 0;
    if (digits == std::string_view::npos ||
        std::from_chars(line.data() + digits, line.data() + line.size(), number).ec != std::errc{}) {
        return;
    }
    run.ranks.insert(number);
    const std::size_t host = line.find_first_not_of(' ', on + 4);
    if (host != std::string_view::npos) run.hosts.emplace(line.substr(host, line.find(' ', host) - host));
}

}  // namespace

bool NcclTestsImporter::recognises(std::string_view head) const {
    if (head.find('\0') != std::string_view::npos) return false;
    return (contains(head, "algbw") && contains(head, "busbw")) || contains(head, "# nThread") ||
           contains(head, "Collective test starting");
}

ImportResult NcclTestsImporter::read(const std::filesystem::path& file, ProfileWriter& out,
                                     const Progress& progress) const {
    const Content content = readContent(file, progress, 0);
    const std::string_view text(content.bytes.data(), content.size);
    ImportResult result;
    Run run;
    run.kind = kindOf(file.filename().string());
    if (run.kind == OpClass::other && contains(file.filename().string(), "allreduce")) run.kind = OpClass::allReduce;
    std::optional<std::int64_t> guessedRanks;
    std::vector<MeasurementRow> rows;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = withoutLauncherPrefix(text.substr(at, end - at));
        at = end + 1;
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) continue;
        line.remove_prefix(first);
        if (line.front() == '#') {
            readHeader(line, run);
            continue;
        }
        const auto row = parseResultLine(line);
        if (!row) continue;
        for (const auto& [half, inPlace] : {std::pair{row->outOfPlace, false}, std::pair{row->inPlace, true}}) {
            if (!half) continue;
            MeasurementRow measurement;
            measurement.kind = run.kind;
            if (!run.ranks.empty()) measurement.ranks = std::ssize(run.ranks);
            if (!run.hosts.empty()) measurement.nodes = std::ssize(run.hosts);
            measurement.bytes = row->bytes;
            measurement.time = std::llround(half->microseconds * 1e3);
            measurement.algbw = half->algbw;
            measurement.busbw = half->busbw;
            measurement.dtype = row->dtype;
            measurement.inPlace = inPlace;
            if (run.ranks.empty()) {
                if (const auto guess = ranksFromFactor(run.kind, *half)) guessedRanks = guess;
            }
            rows.push_back(std::move(measurement));
        }
    }
    if (rows.empty())
        throw InputError(
            fmt::format("{}: no result rows of nccl-tests in it; give its standard output", file.string()));
    if (run.kind == OpClass::other) {
        result.warnings.push_back(
            {"which collective was measured is not told; name the file after it (all_reduce...)"});
    }
    for (auto& row : rows) {
        if (!row.ranks) row.ranks = guessedRanks;
        out.addMeasurement(row);
        ++result.events;
    }
    if (rows.front().ranks == guessedRanks && guessedRanks) {
        result.warnings.push_back({fmt::format(
            "no list of ranks in it; {} ranks follow from busbw/algbw of the largest sizes", *guessedRanks)});
    }
    RankRow rank;
    rank.file = file.filename().string();
    rank.source = "nccl_tests";
    out.addRank(rank);
    return result;
}

}  // namespace orrery::importers
