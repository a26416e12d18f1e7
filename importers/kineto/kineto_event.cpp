#include "importers/kineto/kineto_event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <simdjson.h>

#include "importers/kineto/categories.hpp"
#include "importers/kineto/decimal_time.hpp"

namespace orrery::importers {

namespace ondemand = simdjson::ondemand;

namespace {

static_assert(KinetoEventParser::kPadding >= simdjson::SIMDJSON_PADDING);

/// A number, a number in a string, or the number at the end of a string ("stream 7").
std::optional<std::int64_t> looseInteger(ondemand::value value) {
    std::string_view text = value.raw_json_token();
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '"')) {
        text.remove_suffix(1);
    }
    if (!text.empty() && text.front() == '"') text.remove_prefix(1);
    if (const auto space = text.rfind(' '); space != std::string_view::npos) text.remove_prefix(space + 1);
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    if (stop != text.data() + text.size() && *stop != '.') return std::nullopt;
    return number;
}

void assignText(ondemand::value value, std::string& out) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) out = text;
}

void readArguments(ondemand::object arguments, KinetoEvent& out) {
    for (auto field : arguments) {
        std::string_view key;
        ondemand::value value;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS)
            return;
        // The first letter sorts most of the two dozen keys of a kernel out.
        switch (key.empty() ? '\0' : key.front()) {
            case 'd':
                if (key == "device") out.device = looseInteger(value);
                if (key == "dtype") assignText(value, out.collective.dtype);
                break;
            case 's':
                if (key == "stream") out.stream = looseInteger(value);
                break;
            case 'c':
                if (key == "correlation") out.correlation = looseInteger(value);
                break;
            case 'b':
                if (key == "bytes") out.bytes = looseInteger(value);
                break;
            case 'g':
                if (key == "graph node id") out.graphNode = looseInteger(value);
                break;
            case 'E':
                if (key == "External id") out.externalId = looseInteger(value);
                break;
            case 'n':
                if (key == "name") assignText(value, out.processLabel);
                break;
            case 'l':
                if (key == "labels") assignText(value, out.processLabel);
                break;
            case 'C':
                if (key == "Collective name") assignText(value, out.collective.name);
                break;
            case 'I':
                if (key == "In msg nelems") out.collective.inElements = looseInteger(value);
                break;
            case 'O':
                if (key == "Out msg nelems") out.collective.outElements = looseInteger(value);
                break;
            case 'G':
                if (key == "Group size") out.collective.groupSize = looseInteger(value);
                break;
            case 'P':
                if (key == "Process Group Name" || key == "Process Group ID")
                    assignText(value, out.collective.groupName);
                if (key == "Process Group Description") assignText(value, out.collective.groupDescription);
                if (key == "Process Group Ranks") assignText(value, out.collective.groupRanks);
                break;
            case 'S':
                if (key == "Seq") out.collective.sequence = looseInteger(value);
                if (key == "Src Rank") out.collective.source = looseInteger(value);
                break;
            case 'D':
                if (key == "Dst Rank") out.collective.destination = looseInteger(value);
                break;
            default:
                break;
        }
    }
}

}  // namespace

struct KinetoEventParser::Impl {
    ondemand::parser parser;
};

KinetoEventParser::KinetoEventParser() : impl_(std::make_unique<Impl>()) {}
KinetoEventParser::~KinetoEventParser() = default;

KinetoParse KinetoEventParser::parse(std::string_view event, std::size_t readable, KinetoEvent& out) {
    out = {};
    ondemand::document document;
    if (impl_->parser.iterate(event.data(), event.size(), readable).get(document) != simdjson::SUCCESS) {
        return KinetoParse::broken;
    }
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) return KinetoParse::broken;
    for (auto field : object) {
        std::string_view key;
        ondemand::value value;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS) {
            return KinetoParse::broken;
        }
        if (key == "ph") {
            std::string_view phase;
            if (value.get_string().get(phase) != simdjson::SUCCESS) return KinetoParse::broken;
            out.phase = phase.size() == 1 ? phase.front() : '\0';
        } else if (key == "cat") {
            if (value.get_string().get(out.category) != simdjson::SUCCESS) return KinetoParse::broken;
            // Most events of a trace are CPU operators; phase comes first in what Kineto writes.
            if (out.phase != '\0' && !isKept(out.category)) return KinetoParse::skipped;
        } else if (key == "name") {
            if (value.get_string().get(out.name) != simdjson::SUCCESS) return KinetoParse::broken;
        } else if (key == "pid") {
            out.pid = looseInteger(value);
        } else if (key == "tid") {
            out.tid = looseInteger(value);
        } else if (key == "ts") {
            out.start = nanosecondsFromMicroseconds(value.raw_json_token());
        } else if (key == "dur") {
            out.duration = nanosecondsFromMicroseconds(value.raw_json_token());
        } else if (key == "args") {
            ondemand::object arguments;
            if (value.get_object().get(arguments) == simdjson::SUCCESS) readArguments(arguments, out);
        }
    }
    return isKept(out.category) || out.phase == 'M' ? KinetoParse::complete : KinetoParse::skipped;
}

}  // namespace orrery::importers
