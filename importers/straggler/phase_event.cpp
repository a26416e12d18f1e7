#include "importers/straggler/phase_event.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <simdjson.h>

#include "importers/kineto/decimal_time.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {

namespace ondemand = simdjson::ondemand;

namespace {

static_assert(kPhasePadding >= simdjson::SIMDJSON_PADDING);

/// Fields of one event as found; texts are valid until the next event.
struct RawEvent {
    std::string_view phase, name, laneName;
    std::optional<std::int64_t> pid, tid, start, duration;
    std::int64_t step = -1, chunk = -1, microBatch = -1, sequence = -1;
};

class Reader {
  public:
    explicit Reader(const std::string& file) : file_(file) {}

    PhaseEvents read(std::string_view text, std::size_t readable) {
        ondemand::parser parser;
        ondemand::document document;
        ondemand::array list;
        if (parser.iterate(text.data(), text.size(), readable).get(document) != simdjson::SUCCESS ||
            document.get_array().get(list) != simdjson::SUCCESS) {
            fail("is not a complete JSON list");
        }
        for (auto element : list) {
            ondemand::object object;
            if (element.get_object().get(object) != simdjson::SUCCESS) fail("is cut short or damaged");
            add(parse(object));
            ++index_;
        }
        if (document.current_location().error() == simdjson::SUCCESS) fail("is followed by other text");
        return std::move(out_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{}: event {}: the list {}; export the timeline again", file_, index_, what));
    }
    [[noreturn]] void failField(const std::string& what) const {
        throw InputError(fmt::format("{}: event {}: {}; export the timeline again", file_, index_, what));
    }

    /// A value of the list; ends the import when the text is damaged there.
    template <typename Result>
    auto need(Result result, std::string_view field) const {
        if (result.error() != simdjson::SUCCESS) {
            failField(fmt::format("'{}' is missing, cut short or of another type", field));
        }
        return result.value_unsafe();
    }

    RawEvent parse(ondemand::object object) const {
        RawEvent event;
        for (auto field : object) {
            const std::string_view key = need(field.unescaped_key(), "a key");
            ondemand::value value = need(field.value(), key);
            if (key == "ph") {
                event.phase = need(value.get_string(), key);
            } else if (key == "name") {
                event.name = need(value.get_string(), key);
            } else if (key == "pid") {
                event.pid = need(value.get_int64(), key);
            } else if (key == "tid") {
                event.tid = need(value.get_int64(), key);
            } else if (key == "ts" || key == "dur") {
                const auto time = nanosecondsFromMicroseconds(trimmed(value.raw_json_token()));
                if (!time) failField(fmt::format("'{}' is not a time in microseconds", key));
                (key == "ts" ? event.start : event.duration) = time;
            } else if (key == "args") {
                arguments(need(value.get_object(), key), event);
            }
        }
        return event;
    }

    /// An identifier; null stands for "does not apply", as -1 does.
    [[nodiscard]] std::int64_t number(ondemand::value value, std::string_view key) const {
        return value.is_null() ? -1 : need(value.get_int64(), key);
    }

    void arguments(ondemand::object object, RawEvent& event) const {
        for (auto field : object) {
            const std::string_view key = need(field.unescaped_key(), "a key");
            ondemand::value value = need(field.value(), key);
            if (key == "step") event.step = number(value, key);
            if (key == "model_chunk") event.chunk = number(value, key);
            if (key == "mb_id") event.microBatch = number(value, key);
            if (key == "seq_id") event.sequence = number(value, key);
            if (key == "name") event.laneName = need(value.get_string(), key);
        }
    }

    static std::string_view trimmed(std::string_view token) {
        return token.substr(0, std::min(token.find_last_not_of(" \t\r\n") + 1, token.size()));
    }

    void add(const RawEvent& event) {
        if (event.phase == "M") {
            if (event.name == "thread_name" && event.pid && event.tid) {
                out_.lanes.push_back({*event.pid, *event.tid, std::string(event.laneName)});
            }
            return;
        }
        if (event.phase != "X") return;
        if (!event.pid || !event.tid || !event.start || !event.duration || event.name.empty()) {
            failField("a phase needs 'name', 'pid', 'tid', 'ts' and 'dur'");
        }
        if (event.step < 0) failField(fmt::format("{} has no 'step' in 'args'", event.name));
        constexpr std::int64_t kLargest = std::int64_t{1} << 61;  // ends and differences fit 64 bits
        if (*event.duration > kLargest || std::abs(*event.start) > kLargest) {
            failField(fmt::format("{} lies beyond any clock", event.name));
        }
        if (*event.duration < 0) failField(fmt::format("{} has a negative duration", event.name));
        out_.phases.push_back({named(event.name), *event.pid, *event.tid, *event.start, *event.duration, event.step,
                               event.chunk, event.microBatch, event.sequence});
    }

    std::string_view named(std::string_view name) {
        const auto found =
            std::find_if(out_.names.begin(), out_.names.end(), [&](const auto& known) { return *known == name; });
        if (found != out_.names.end()) return **found;
        return *out_.names.emplace_back(std::make_unique<std::string>(name));
    }

    const std::string& file_;
    std::size_t index_ = 0;
    PhaseEvents out_;
};

}  // namespace

PhaseEvents readPhaseEvents(std::string_view text, std::size_t readable, const std::string& file) {
    return Reader(file).read(text, readable);
}

}  // namespace orrery::importers
