#include "importers/kineto/kineto_importer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "importers/io/bad_events.hpp"
#include "importers/io/file_reader.hpp"
#include "importers/kineto/json_scan.hpp"
#include "importers/kineto/kineto_document.hpp"
#include "importers/kineto/kineto_event.hpp"
#include "importers/kineto/kineto_header.hpp"
#include "importers/kineto/kineto_rows.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::size_t kEventsBetweenChecks = 4096;

}  // namespace

bool KinetoImporter::recognises(std::string_view head) const {
    std::size_t at = skipSpace(head, 0);
    if (head.substr(at, 3) == "\xEF\xBB\xBF") at = skipSpace(head, at + 3);
    if (at >= head.size()) return false;
    if (head[at] == '[') return head.find("\"ph\"") != std::string_view::npos;
    return head[at] == '{' && (head.find("\"traceEvents\"") != std::string_view::npos ||
                               head.find("\"deviceProperties\"") != std::string_view::npos ||
                               head.find("\"distributedInfo\"") != std::string_view::npos ||
                               head.find("\"schemaVersion\"") != std::string_view::npos);
}

ImportResult KinetoImporter::read(const std::filesystem::path& file, ProfileWriter& out,
                                  const Progress& progress) const {
    const Content content = readContent(file, progress, KinetoEventParser::kPadding);
    const std::string_view text(content.bytes.data(), content.size);
    KinetoDocument document(text);
    KinetoEventParser parser(progress.hostOperators);
    KinetoRows rows(out, file.filename().string(), progress.hostOperators);
    ImportResult result;
    BadEvents mended;
    BadEvents lost;
    KinetoEvent event;

    const auto visit = [&](std::string_view json, std::size_t offset) {
        const std::size_t readable = content.bytes.size() - offset;
        const KinetoParse parsed =
            parser.parse(json, std::min(readable, json.size() + KinetoEventParser::kPadding), event);
        if (parsed == KinetoParse::broken) return false;
        rows.count(event);
        if (parsed == KinetoParse::complete) rows.add(event, offset);
        if (++result.events % static_cast<std::int64_t>(kEventsBetweenChecks) == 0 && progress.isCancelled())
            throw Cancelled();
        return true;
    };
    const auto broken = [&](std::string_view json, std::size_t offset) {
        std::string copy = mendEvent(json);
        const std::size_t size = copy.size();
        copy.append(KinetoEventParser::kPadding, '\0');
        const KinetoParse parsed = parser.parse(std::string_view(copy.data(), size), copy.size(), event);
        if (parsed == KinetoParse::broken) return lost.add(offset);
        mended.add(offset);
        rows.count(event);
        if (parsed == KinetoParse::complete) rows.add(event, offset);
        ++result.events;
    };
    document.walk(visit, broken);
    if (!document.hasEvents()) {
        throw InputError(fmt::format("{}: no list 'traceEvents' in it; export the trace again", file.string()));
    }
    result.warnings = document.warnings();
    if (content.truncatedGzip) {
        result.warnings.push_back({fmt::format("the gzip stream ends early, after {} unpacked bytes", content.size)});
    }
    mended.warn("mended", result.warnings);
    lost.warn("lost: not readable even when mended", result.warnings);
    const KinetoHeader header = readHeader(document);
    result.rankKnown = header.rank.has_value();
    rows.finish(header, result.warnings);
    return result;
}

}  // namespace orrery::importers
