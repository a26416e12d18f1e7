// Pairs begin and end events into range rows of a profile. Runs on the drain thread only.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "profiler/inject/event.hpp"

namespace orrery::inject {

class RangeAssembler {
  public:
    RangeAssembler(ProfileWriter& writer, std::int64_t rankId) : writer_(writer), rankId_(rankId) {}

    /// One record of a thread's ring: an Event, its text, its payload.
    void consume(std::int64_t thread, std::span<const std::byte> record);

    /// Writes ranges that have been open for longer than `age` ns, so that they are in the file if the process dies;
    /// they are completed when they close.
    void writeLongOpen(std::int64_t now, std::int64_t age);

    /// Counters for the losses table.
    [[nodiscard]] std::int64_t popsWithoutPush() const { return popsWithoutPush_; }
    [[nodiscard]] std::int64_t undecodedPayloads() const { return undecodedPayloads_; }

  private:
    struct Open {
        RangeRow row;
        std::uint32_t domain = 0;
        std::int64_t payloadSchema = 0;  ///< profile id; 0: no payload
        std::vector<PayloadValue> payload;
        std::int64_t writtenId = 0;  ///< row that already stands in the file, open
    };
    struct SchemaRef {
        std::int64_t profileId = 0;
        bool known = false;
    };

    Open begin(std::int64_t thread, const Event& event, std::span<const std::byte> text,
               std::span<const std::byte> payload);
    void close(Open& open, std::int64_t time, std::int64_t thread);
    std::int64_t insert(const Open& open);
    std::int64_t nameId(const Event& event, std::span<const std::byte> text);
    void attachPayload(Open& open, const Event& event, std::span<const std::byte> bytes);

    ProfileWriter& writer_;
    std::int64_t rankId_;
    std::unordered_map<std::int64_t, std::vector<Open>> stacks_;  ///< push/pop by thread, innermost last
    std::unordered_map<std::uint64_t, Open> started_;             ///< start/end by range id
    std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> earlyEnds_;  ///< (time, thread)
    std::unordered_map<std::uint32_t, std::int64_t> registeredNames_, domainIds_;
    std::unordered_map<std::uint64_t, std::int64_t> categoryIds_;
    std::unordered_map<std::uint64_t, SchemaRef> schemas_;  ///< by (domain, schema) hash
    std::int64_t popsWithoutPush_ = 0, undecodedPayloads_ = 0;
};

}  // namespace orrery::inject
