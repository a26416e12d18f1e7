// Pairs begin and end events into range rows of a profile. Runs on the drain thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "profiler/inject/capture_control.hpp"
#include "profiler/inject/event.hpp"
#include "profiler/inject/payload_schema.hpp"

namespace orrery::inject {

/// Where events come from. The serial is unique in the process; the system uses its thread numbers again.
struct EventSource {
    std::uint64_t serial = 0;
    std::int64_t thread = 0;
};

class RangeAssembler {
  public:
    RangeAssembler(ProfileWriter& writer, std::int64_t rankId) : writer_(&writer), rankId_(rankId) {}

    /// From now on ranges are kept only where the control wants them, and it is told of steps: ranges of schema
    /// orrery.step, and those whose name begins with its step name.
    void obey(CaptureControl& control) { control_ = &control; }

    /// Goes on in another file. What is open stays in the old one, as open; `old` is where that one is by now.
    void moveTo(ProfileWriter& writer, std::int64_t rankId, ProfileWriter& old);

    /// One record of a thread's ring: the head of an Event, its text, its payload.
    void consume(EventSource source, std::span<const std::byte> record);

    /// No more events come from this thread: what it left open is written as open.
    void endThread(std::uint64_t serial);

    /// After each pass over all rings. Writes ranges that have been open for a while, so that they are in the file if
    /// the process dies; they are completed when they close. Gives up on ends whose start never came, which needs
    /// passes that emptied every ring. The last pass does so with all that is left. True when rows were written.
    bool endPass(std::int64_t now, bool emptied, bool last);

    /// The time by which steps that end in this pass are seen.
    void beginPass(std::int64_t now) { now_ = now; }

    /// Counts for the losses table, by kind.
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> losses() const;

  private:
    struct Open {
        RangeRow row;
        std::uint32_t domain = 0;
        std::int64_t payloadSchema = 0;  ///< profile id; 0: no payload
        std::vector<PayloadValue> payload;
        std::int64_t writtenId = 0;  ///< row that already stands in the file, open; kNowhere: not kept
        bool isStep = false;
        std::optional<std::int64_t> step;  ///< its number
        bool always = false;               ///< kept also outside of windows: what later rows refer to
    };
    struct Schema {
        PayloadSchema layout;
        std::int64_t profileId = 0;  ///< 0: payloads of this schema are not kept
    };
    struct EarlyEnd {
        std::int64_t time = 0, thread = 0;
        int passes = 0;
    };

    Open begin(std::int64_t thread, const Event& event, std::span<const std::byte> text,
               std::span<const std::byte> payload);
    void pop(EventSource source, const Event& event);
    void start(Open open, std::uint64_t rangeId);
    void end(EventSource source, const Event& event);
    void close(Open& open, std::int64_t time, std::int64_t thread);
    std::int64_t insert(Open& open);  ///< takes the payload; kNowhere when it is not to be kept
    std::int64_t nameId(const Event& event, std::span<const std::byte> text);
    std::int64_t inlineNameId(std::string_view text);
    void attachPayload(Open& open, const Event& event, std::span<const std::byte> bytes);
    const Schema& schemaOf(const Event& event, std::optional<std::int64_t> domainId);

    static constexpr std::int64_t kNowhere = -1;
    void noteStep(Open& open, const Event& event, std::span<const std::byte> text);

    ProfileWriter* writer_;
    std::int64_t rankId_;
    CaptureControl* control_ = nullptr;
    std::int64_t now_ = 0;                                         ///< of the last pass
    std::unordered_map<std::uint64_t, std::vector<Open>> stacks_;  ///< push/pop by thread, innermost last
    std::unordered_map<std::uint64_t, Open> started_;              ///< start/end by range id
    std::unordered_map<std::uint64_t, EarlyEnd>
        earlyEnds_;  ///< seen before their start, which is in a ring drained later
    std::unordered_map<std::uint32_t, std::int64_t> registeredNames_, domainIds_;
    std::unordered_map<std::uint32_t, bool> registeredSteps_;
    std::map<std::string, std::int64_t, std::less<>> inlineNames_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> categoryIds_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Schema> schemas_;  ///< by domain and schema id
    std::int64_t endsWithoutStart_ = 0, payloadsUndecoded_ = 0, fieldsSkipped_ = 0, namesFolded_ = 0;
};

}  // namespace orrery::inject
