// The frame of a Kineto trace: top-level values before and after the events, and the events one by one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "importers/importer.hpp"

namespace orrery::importers {

/// Walks a trace without parsing it as one JSON document: broken events, text after the events and a missing end cost
/// only themselves. Accepts an object with "traceEvents" and a bare list of events (older exporters).
class KinetoDocument {
  public:
    explicit KinetoDocument(std::string_view text) : text_(text) {}

    /// Calls `visit(event, offset)` for every complete event object in file order. `visit` returns false when the event
    /// is broken; the walk then finds its end anew and calls `mended(copy, offset)`.
    void walk(const std::function<bool(std::string_view event, std::size_t offset)>& visit,
              const std::function<void(std::string_view brokenEvent, std::size_t offset)>& broken);

    /// Raw text of a top-level value ("distributedInfo"), empty when absent. Known after walk().
    [[nodiscard]] std::string_view topLevel(const std::string& key) const;

    [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
    [[nodiscard]] bool hasEvents() const { return sawEvents_; }

  private:
    std::size_t walkEvents(std::size_t at, const std::function<bool(std::string_view, std::size_t)>& visit,
                           const std::function<void(std::string_view, std::size_t)>& broken);

    std::string_view text_;
    std::map<std::string, std::string_view> topLevel_;
    std::vector<Warning> warnings_;
    bool sawEvents_ = false;
};

}  // namespace orrery::importers
