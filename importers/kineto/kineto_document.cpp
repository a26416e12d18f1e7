#include "importers/kineto/kineto_document.hpp"

#include <fmt/format.h>

#include "importers/kineto/json_scan.hpp"

namespace orrery::importers {

void KinetoDocument::walk(const std::function<bool(std::string_view, std::size_t)>& visit,
                          const std::function<void(std::string_view, std::size_t)>& broken) {
    std::size_t at = skipSpace(text_, 0);
    if (text_.substr(at, 3) == "\xEF\xBB\xBF") at = skipSpace(text_, at + 3);
    if (at < text_.size() && text_[at] == '[') {
        sawEvents_ = true;
        walkEvents(at, visit, broken);
        return;
    }
    if (at >= text_.size() || text_[at] != '{') return;
    ++at;
    while (true) {
        at = skipSpace(text_, at);
        while (at < text_.size() && text_[at] == ',') at = skipSpace(text_, at + 1);
        if (at >= text_.size()) {
            warnings_.push_back(
                {fmt::format("byte {}: the file ends inside the top-level object; it was cut short", at)});
            return;
        }
        if (text_[at] == '}') return;
        const std::size_t keyEnd = text_[at] == '"' ? skipValue(text_, at) : kNotFound;
        const std::size_t colon = keyEnd == kNotFound ? kNotFound : skipSpace(text_, keyEnd);
        if (colon == kNotFound || colon >= text_.size() || text_[colon] != ':') {
            warnings_.push_back({fmt::format("byte {}: text that is no key; the rest of the file is not read", at)});
            return;
        }
        const std::string key(text_.substr(at + 1, keyEnd - at - 2));
        const std::size_t value = skipSpace(text_, colon + 1);
        if (key == "traceEvents" && value < text_.size() && text_[value] == '[') {
            sawEvents_ = true;
            at = walkEvents(value, visit, broken);
            if (at == kNotFound) return;
            continue;
        }
        const std::size_t end = skipValue(text_, value);
        if (end == kNotFound) {
            warnings_.push_back({fmt::format("byte {}: the value of '{}' has no end; the rest of the file is not read",
                                             value, key.substr(0, 60))});
            return;
        }
        topLevel_[key] = text_.substr(value, end - value);
        at = end;
    }
}

std::size_t KinetoDocument::walkEvents(std::size_t at, const std::function<bool(std::string_view, std::size_t)>& visit,
                                       const std::function<void(std::string_view, std::size_t)>& broken) {
    ++at;
    while (true) {
        at = skipSpace(text_, at);
        while (at < text_.size() && text_[at] == ',') at = skipSpace(text_, at + 1);
        if (at < text_.size() && text_[at] == ']') return at + 1;
        if (at >= text_.size()) {
            warnings_.push_back(
                {fmt::format("byte {}: the list of events has no end; the file was cut short there", at)});
            return kNotFound;
        }
        std::size_t end = text_[at] == '{' ? skipValue(text_, at) : kNotFound;
        if (end != kNotFound && visit(text_.substr(at, end - at), at)) {
            at = end;
            continue;
        }
        end = endOfBrokenEvent(text_, at);
        if (end == kNotFound) {
            warnings_.push_back(
                {fmt::format("byte {}: the event that starts here has no end; the file was cut short there", at)});
            return kNotFound;
        }
        broken(text_.substr(at, end - at), at);
        at = end;
    }
}

std::string_view KinetoDocument::topLevel(const std::string& key) const {
    const auto found = topLevel_.find(key);
    return found == topLevel_.end() ? std::string_view{} : found->second;
}

}  // namespace orrery::importers
