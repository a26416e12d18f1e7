#include "importers/kineto/kineto_event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <simdjson.h>

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

/// Arguments of one event; what comes twice counts, and the last holds.
struct Reader {
    KinetoEvent& event;

    void integer(ondemand::value value, std::optional<std::int64_t>& out) const {
        if (out) ++event.duplicateKeys;
        out = looseInteger(value);
    }
    void text(ondemand::value value, std::string& out) const {
        std::string_view found;
        if (value.get_string().get(found) != simdjson::SUCCESS) return;
        if (!out.empty()) ++event.duplicateKeys;
        out = found;
    }
};

void readArguments(ondemand::object arguments, KinetoEvent& out) {
    const Reader read{out};
    for (auto field : arguments) {
        std::string_view key;
        ondemand::value value;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS)
            return;
        // The first letter sorts most of the two dozen keys of a kernel out.
        switch (key.empty() ? '\0' : key.front()) {
            case 'd':
                if (key == "device") read.integer(value, out.device);
                if (key == "dtype") read.text(value, out.collective.dtype);
                break;
            case 's':
                if (key == "stream") read.integer(value, out.stream);
                break;
            case 'c':
                if (key == "context") read.integer(value, out.context);
                if (key == "correlation") read.integer(value, out.correlation);
                break;
            case 'b':
                if (key == "bytes") read.integer(value, out.bytes);
                break;
            case 'g':
                if (key == "graph node id") read.integer(value, out.graphNode);
                break;
            case 'E':
                if (key == "External id") read.integer(value, out.externalId);
                break;
            case 'n':
                if (key == "name") read.text(value, out.processLabel);
                break;
            case 'l':
                if (key == "labels") read.text(value, out.processLabel);
                break;
            case 'C':
                if (key == "Collective name") read.text(value, out.collective.name);
                break;
            case 'I':
                if (key == "In msg nelems") read.integer(value, out.collective.inElements);
                break;
            case 'O':
                if (key == "Out msg nelems") read.integer(value, out.collective.outElements);
                break;
            case 'G':
                if (key == "Group size") read.integer(value, out.collective.groupSize);
                break;
            case 'P':
                if (key == "Process Group Name") read.text(value, out.collective.groupName);
                if (key == "Process Group ID" && out.collective.groupName.empty())  // its name until April 2024
                    read.text(value, out.collective.groupName);
                if (key == "Process Group Description") read.text(value, out.collective.groupDescription);
                if (key == "Process Group Ranks") read.text(value, out.collective.groupRanks);
                break;
            case 'S':
                if (key == "Seq") read.integer(value, out.collective.sequence);
                if (key == "Src Rank") read.integer(value, out.collective.source);
                break;
            case 'A':
                if (key == "Addr") read.integer(value, out.address);
                break;
            case 'B':
                if (key == "Bytes") read.integer(value, out.bytes);
                break;
            case 'T':
                if (key == "Total Allocated") read.integer(value, out.allocated);
                if (key == "Total Reserved") read.integer(value, out.reserved);
                break;
            case 'w':
                if (key == "wait_on_cuda_event_id") read.integer(value, out.event);
                break;
            case 'D':
                if (key == "Device Id") read.integer(value, out.device);
                if (key == "Dst Rank") read.integer(value, out.collective.destination);
                break;
            default:
                break;
        }
    }
}

}  // namespace

struct KinetoEventParser::Impl {
    ondemand::parser parser;
    bool hostOperators = false;
    std::string lastCategory;  // events of a category come in runs
    KinetoCategory lastKind = KinetoCategory::other;

    KinetoCategory kindOf(std::string_view category) {
        if (category != lastCategory) {
            lastCategory = category;
            lastKind = categoryOf(category);
        }
        return lastKind;
    }
};

KinetoEventParser::KinetoEventParser(bool hostOperators) : impl_(std::make_unique<Impl>()) {
    impl_->hostOperators = hostOperators;
}
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
            out.kind = impl_->kindOf(out.category);
            if (out.phase != '\0' && !isRead(out.kind, impl_->hostOperators)) return KinetoParse::skipped;
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
    const bool read = isRead(out.kind, impl_->hostOperators) || out.phase == 'M';
    return read ? KinetoParse::complete : KinetoParse::skipped;
}

}  // namespace orrery::importers
