#include "gui/timeline/span_filter.hpp"

#include "gui/style/texts.hpp"
#include "model/compare/step_shares.hpp"

namespace orrery::gui {

SpanFilter::SpanFilter(const QString& query, const TimelineSide& predicted, const TimelineSide& measured) {
    QStringList words;
    for (const auto& word : query.split(' ', Qt::SkipEmptyParts)) {
        active_ = true;
        if (!take(word)) words.push_back(word);
    }
    const std::array sides = {&predicted, &measured};
    for (std::size_t side = 0; side < sides.size(); ++side) {
        if (sides[side]->empty()) continue;
        const StringTable& names = sides[side]->timeline->names;
        for (std::size_t id = 0; id < names.size(); ++id) {
            const QString name = text(names.text(static_cast<std::uint32_t>(id)));
            bool all = true;
            for (const auto& word : words) all = all && name.contains(word, Qt::CaseInsensitive);
            names_[side].push_back(all);
        }
    }
}

bool SpanFilter::take(const QString& word) {
    const auto colon = word.indexOf(':');
    if (colon <= 0) return false;
    const QString field = word.left(colon).toLower();
    const QString value = word.mid(colon + 1);
    bool isNumber = false;
    const int number = value.toInt(&isNumber);
    if (isNumber) {
        if (field == "stage") return stage_ = number, true;
        if (field == "mb") return microBatch_ = number, true;
        if (field == "rank") return rank_ = number, true;
        if (field == "step") return step_ = number, true;
    }
    if (field == "class") {
        cls_ = parseOpClass(value.toStdString());
        return cls_.has_value();
    }
    if (field == "phase") {
        for (std::size_t phase = 0; phase < kPhases; ++phase) {
            if (text(name(static_cast<Phase>(phase))) == value) return phase_ = static_cast<Phase>(phase), true;
        }
    }
    return false;
}

bool SpanFilter::matches(Side side, const Timeline& timeline, const Span& span) const {
    const auto& names = names_[static_cast<std::size_t>(side)];
    if (span.name < names.size() && !names[span.name]) return false;
    const Track& track = timeline.tracks[span.track];
    return (!stage_ || (span.stage >= 0 ? span.stage : track.stage) == *stage_) &&
           (!microBatch_ || span.microBatch == *microBatch_) && (!rank_ || track.rank == *rank_) &&
           (!step_ || span.step == *step_) && (!phase_ || span.phase == *phase_) && (!cls_ || span.cls == *cls_);
}

std::int64_t SpanFilter::count(const TimelineSide& predicted, const TimelineSide& measured) const {
    std::int64_t found = 0;
    for (const Side side : {Side::predicted, Side::measured}) {
        const TimelineSide& data = side == Side::predicted ? predicted : measured;
        if (data.empty()) continue;
        for (std::size_t row = 0; row < data.timeline->size(); ++row) {
            found += matches(side, *data.timeline, data.timeline->span(row)) ? 1 : 0;
        }
    }
    return found;
}

}  // namespace orrery::gui
