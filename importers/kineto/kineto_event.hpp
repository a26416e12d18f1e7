// One event of a Kineto trace, as far as a profile keeps it. Unknown stays unknown: absent is not zero.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "importers/kineto/categories.hpp"

namespace orrery::importers {

/// Argument keys of collectives (pytorch/kineto, MetadataFieldCatalog.h).
struct KinetoCollective {
    std::string name, dtype, groupName, groupDescription, groupRanks;
    std::optional<std::int64_t> inElements, outElements, groupSize, sequence, source, destination;

    [[nodiscard]] bool known() const { return !name.empty() || !groupName.empty() || groupSize.has_value(); }
};

struct KinetoEvent {
    char phase = '\0';
    std::string_view category;  ///< as written; compare ignoring case
    KinetoCategory kind = KinetoCategory::other;
    std::string_view name;
    std::optional<std::int64_t> pid, tid;         ///< numbers only; "stream 7" gives 7
    std::optional<std::int64_t> start, duration;  ///< ns, relative to the trace's base time
    // arguments
    std::optional<std::int64_t> device, stream, correlation, bytes, graphNode, externalId;
    std::optional<std::int64_t> context, event;                // of synchronisations
    std::optional<std::int64_t> address, allocated, reserved;  // of memory events; bytes as above
    int duplicateKeys = 0;                                     ///< arguments given twice; the last holds
    std::string processLabel;                                  ///< of M events: args.name or args.labels
    KinetoCollective collective;
};

enum class KinetoParse : std::uint8_t { complete, skipped, broken };

/// Parses events one after the other with one parser.
class KinetoEventParser {
  public:
    /// \param hostOperators whether operators of the host are read or skipped
    explicit KinetoEventParser(bool hostOperators = false);
    ~KinetoEventParser();
    KinetoEventParser(const KinetoEventParser&) = delete;
    KinetoEventParser& operator=(const KinetoEventParser&) = delete;

    /// Parses one event object. `readable` bytes behind `event.data()` may be read (at least 64 more than its size).
    /// Texts in `out` point into the event or into the parser and are valid until the next call. Categories that a
    /// profile does not keep are `skipped` after the category is known, with only phase, category and name filled.
    KinetoParse parse(std::string_view event, std::size_t readable, KinetoEvent& out);

    static constexpr std::size_t kPadding = 64;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace orrery::importers
