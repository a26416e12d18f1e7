#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "report/html/html_parts.hpp"
#include "report/text/escape.hpp"
#include "report/trace/lanes.hpp"

namespace orrery::html_parts {
namespace {

/// Above this many spans the operator and kernel rows are left out, longest rows first: browsers slow down.
constexpr std::size_t kMaxSpans = 400'000;

/// Names of both timelines, each once.
class Names {
  public:
    std::size_t id(std::string_view text) {
        const auto [found, isNew] = ids_.try_emplace(std::string(text), ids_.size());
        if (isNew) {
            json_ += json_.empty() ? "" : ",";
            appendJson(json_, text);
        }
        return found->second;
    }
    [[nodiscard]] const std::string& json() const { return json_; }

  private:
    std::map<std::string, std::size_t, std::less<>> ids_;
    std::string json_;
};

template <typename Value>
std::string column(const std::vector<Span>& spans, Value value) {
    std::string out = "[";
    for (const auto& span : spans) out += fmt::format("{}{}", out.size() > 1 ? "," : "", value(span));
    return out + "]";
}

std::string rowJson(const Timeline& timeline, const LaneRow& row, int side, Names& names) {
    const Track& track = timeline.tracks[row.track];
    const auto& spans = row.spans;
    std::string label;
    appendJson(label, row.label);
    return fmt::format(
        "{{\"side\":{},\"rank\":{},\"stage\":{},\"lane\":\"{}\",\"label\":{},\"start\":{},\"dur\":{},\"name\":{},"
        "\"phase\":{},\"cls\":{},\"mb\":{}}}",
        side, track.rank, track.stage, name(track.lane), label, column(spans, [](const Span& s) { return s.start; }),
        column(spans, [](const Span& s) { return s.duration; }),
        column(spans, [&](const Span& s) { return names.id(timeline.names.text(s.name)); }),
        column(spans, [](const Span& s) { return static_cast<int>(s.phase); }),
        column(spans, [](const Span& s) { return static_cast<int>(s.cls); }),
        column(spans, [](const Span& s) { return s.microBatch; }));
}

template <typename Enum>
std::string enumNames(Enum last) {
    std::string out;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        out += fmt::format("{}\"{}\"", i == 0 ? "" : ",", name(static_cast<Enum>(i)));
    }
    return out;
}

}  // namespace

std::string timelineJson(const ReportData& data) {
    Names names;
    std::string rows;
    std::size_t spans = 0;
    std::size_t omitted = 0;
    const auto add = [&](const std::optional<Timeline>& timeline, int side) {
        if (!timeline) return;
        for (const auto& row : lanesOf(*timeline)) {
            const Lane lane = timeline->tracks[row.track].lane;
            if (lane == Lane::step || lane == Lane::host) continue;
            const bool detail = lane == Lane::op || lane == Lane::kernel;
            if (detail && spans + row.spans.size() > kMaxSpans) {
                omitted += row.spans.size();
                continue;
            }
            spans += row.spans.size();
            rows += (rows.empty() ? "" : ",\n") + rowJson(*timeline, row, side, names);
        }
    };
    add(data.predicted, 0);
    add(data.measured, 1);
    return fmt::format(
        "{{\"sides\":[\"predicted\",\"measured\"],\"phases\":[{}],\"classes\":[{}],\"omitted\":{},\n"
        "\"rows\":[{}],\n\"names\":[{}]}}",
        enumNames(Phase::other), enumNames(OpClass::other), omitted, rows, names.json());
}

}  // namespace orrery::html_parts
