#include "importers/chakra/chakra_importer.hpp"

#include <charconv>

#include <fmt/format.h>

#include "importers/chakra/chakra_json.hpp"
#include "importers/chakra/chakra_protobuf.hpp"
#include "importers/chakra/chakra_rows.hpp"
#include "importers/io/file_reader.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {

bool ChakraImporter::recognises(std::string_view head) const {
    return looksLikeChakraJson(head) || looksLikeChakra(head);
}

std::optional<std::int64_t> rankInChakraName(std::string_view file) {
    for (const std::string_view suffix : {".gz", ".et", ".json"}) {
        if (file.ends_with(suffix)) file.remove_suffix(suffix.size());
    }
    const auto dot = file.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view digits = file.substr(dot + 1);
    std::int64_t rank = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error != std::errc{} || stop != digits.data() + digits.size() || rank < 0) return std::nullopt;
    // "1.0.2-chakra.0.0.4.json" ends in a version, not in a rank.
    const std::string_view before = file.substr(0, dot);
    const auto previous = before.rfind('.');
    const bool version = previous != std::string_view::npos && previous + 1 < before.size() &&
                         before.find_first_not_of("0123456789", previous + 1) == std::string_view::npos;
    return version ? std::nullopt : std::optional(rank);
}

ImportResult ChakraImporter::read(const std::filesystem::path& file, ProfileWriter& out,
                                  const Progress& progress) const {
    const Content content = readContent(file, progress, 0);
    const std::string_view text(content.bytes.data(), content.size);
    const bool json = looksLikeChakraJson(text.substr(0, 64 * 1024));
    ChakraGraph graph = json ? readChakraJson(text, progress) : readChakraProtobuf(text, progress);
    if (graph.nodes.empty()) {
        throw InputError(
            fmt::format("{}: an execution trace without a single node; convert or record it again", file.string()));
    }
    if (!graph.rank) graph.rank = rankInChakraName(file.filename().string());
    ImportResult result;
    result.events = std::ssize(graph.nodes);
    result.rankKnown = graph.rank.has_value();
    result.warnings = std::move(graph.warnings);
    if (content.truncatedGzip) {
        result.warnings.push_back({fmt::format("the gzip stream ends early, after {} unpacked bytes", content.size)});
    }
    writeChakraGraph(graph, file.filename().string(), out, result.warnings);
    return result;
}

}  // namespace orrery::importers
