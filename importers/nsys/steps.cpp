#include "importers/nsys/steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace orrery::importers {

std::optional<std::int64_t> stepNumber(std::string_view name) {
    static constexpr std::array<std::string_view, 8> kWords{
        "profilerstep", "training_step", "train_step", "global_step", "train step", "iteration", "iter", "step"};
    for (const auto word : kWords) {
        if (name.size() <= word.size()) continue;
        const bool same = std::equal(word.begin(), word.end(), name.begin(), [](char a, char b) {
            return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
        });
        if (!same) continue;
        std::string_view rest = name.substr(word.size());
        while (!rest.empty() && std::string_view(" _#:=-").find(rest.front()) != std::string_view::npos) {
            rest.remove_prefix(1);
        }
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error == std::errc{} && stop == rest.data() + rest.size() && number >= 0) return number;
    }
    return std::nullopt;
}

bool Steps::add(std::int64_t process, std::int64_t number, std::int64_t start, std::int64_t end) {
    Process& entry = spans_[process];
    if (!entry.numbers.try_emplace(number, true).second) return false;
    entry.spans.push_back({start, end, number});
    return true;
}

void Steps::sort() {
    for (auto& [process, entry] : spans_) {
        std::sort(entry.spans.begin(), entry.spans.end(),
                  [](const Span& a, const Span& b) { return a.start < b.start; });
    }
}

std::optional<std::int64_t> Steps::at(std::int64_t process, std::int64_t time) const {
    const auto found = spans_.find(process);
    if (found == spans_.end()) return std::nullopt;
    const auto& spans = found->second.spans;
    const auto after = std::upper_bound(spans.begin(), spans.end(), time,
                                        [](std::int64_t t, const Span& span) { return t < span.start; });
    if (after == spans.begin()) return std::nullopt;
    const Span& span = *std::prev(after);
    return time <= span.end ? std::optional(span.number) : std::nullopt;
}

}  // namespace orrery::importers
