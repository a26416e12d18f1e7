#include "importers/kineto/json_scan.hpp"

#include <array>
#include <cctype>
#include <cstring>

namespace orrery::importers {
namespace {

constexpr int kMaxNesting = 512;

bool isSpace(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Position behind a string's closing quote. memchr does the work: names can be long.
std::size_t skipString(std::string_view text, std::size_t at) {
    std::size_t from = at + 1;
    while (from < text.size()) {
        const void* found = std::memchr(text.data() + from, '"', text.size() - from);
        if (found == nullptr) return kNotFound;
        const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        std::size_t slashes = 0;
        while (quote > slashes && text[quote - 1 - slashes] == '\\') ++slashes;
        if (slashes % 2 == 0) return quote + 1;
        from = quote + 1;
    }
    return kNotFound;
}

/// Characters that matter between strings: brackets and quotes.
constexpr std::array<bool, 256> structural() {
    std::array<bool, 256> table{};
    for (const char c : {'{', '}', '[', ']', '"'}) table[static_cast<unsigned char>(c)] = true;
    return table;
}
constexpr std::array<bool, 256> kStructural = structural();

/// Length of the UTF-8 sequence at `at`, 0 when it is malformed.
std::size_t utf8Length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
    }
    if ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) > 0x9F) ||
        (first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) > 0x8F)) {
        return 0;
    }
    return length;
}

/// Whether the quote at `at` ends a string: what follows is a separator, not more text.
bool closesString(std::string_view text, std::size_t at) {
    const std::size_t next = skipSpace(text, at + 1);
    if (next >= text.size() || text[next] == ':' || text[next] == '}' || text[next] == ']') return true;
    if (text[next] != ',') return false;
    const std::size_t after = skipSpace(text, next + 1);  // `", "key"` or `", 12`, not `", some text`
    if (after >= text.size()) return true;
    const char c = text[after];
    return c == '"' || c == '{' || c == '[' || c == '-' || c == '}' || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::size_t skipSpace(std::string_view text, std::size_t at) {
    while (at < text.size() && isSpace(text[at])) ++at;
    return at;
}

std::size_t skipValue(std::string_view text, std::size_t at) {
    if (at >= text.size()) return kNotFound;
    if (text[at] == '"') return skipString(text, at);
    if (text[at] != '{' && text[at] != '[') {
        while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' && !isSpace(text[at])) ++at;
        return at;
    }
    int depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (!kStructural[static_cast<unsigned char>(c)]) {
            ++at;
        } else if (c == '"') {
            at = skipString(text, at);
            if (at == kNotFound) return kNotFound;
        } else {
            ++at;
            if (c == '{' || c == '[') {
                if (++depth > kMaxNesting) return kNotFound;
            } else if (--depth == 0) {
                return at;
            }
        }
    }
    return kNotFound;
}

std::size_t endOfBrokenEvent(std::string_view text, std::size_t at) {
    for (std::size_t brace = text.find('}', at); brace != kNotFound; brace = text.find('}', brace + 1)) {
        std::size_t next = skipSpace(text, brace + 1);
        if (next >= text.size()) return kNotFound;
        if (text[next] == ']') return brace + 1;
        if (text[next] != ',') continue;
        next = skipSpace(text, next + 1);
        if (next >= text.size() || text[next] != '{') continue;
        next = skipSpace(text, next + 1);
        if (next < text.size() && text[next] == '"') return brace + 1;
    }
    return kNotFound;
}

std::string mendEvent(std::string_view event) {
    std::string out;
    out.reserve(event.size() + 16);
    bool inString = false;
    std::size_t at = 0;
    while (at < event.size()) {
        const char c = event[at];
        if (inString) {
            if (c == '\\' && at + 1 < event.size() && event[at + 1] != '\n') {
                out.append(event.substr(at, 2));
                at += 2;
                continue;
            }
            if (c == '"') {
                inString = !closesString(event, at);
                out.append(inString ? "\\\"" : "\"");
                ++at;
                continue;
            }
            const std::size_t length = utf8Length(event, at);
            if (length == 0 || static_cast<unsigned char>(c) < 0x20) {
                out.push_back(length == 0 ? '?' : ' ');
                ++at;
            } else {
                out.append(event.substr(at, length));
                at += length;
            }
            continue;
        }
        if (c == '"') {
            inString = true;
            out.push_back(c);
            ++at;
        } else if (c == ',') {
            // A comma in front of a closing bracket or another comma separates nothing.
            const std::size_t next = skipSpace(event, at + 1);
            if (next >= event.size() || (event[next] != '}' && event[next] != ']' && event[next] != ','))
                out.push_back(c);
            ++at;
        } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 ||
                   (c == '-' && at + 1 < event.size() &&
                    std::isalpha(static_cast<unsigned char>(event[at + 1])) != 0)) {
            const std::size_t end = skipValue(event, at);
            const std::string_view word = event.substr(at, end - at);
            out.append(word == "true" || word == "false" || word == "null" ? word : std::string_view("null"));
            at = end;
        } else {
            out.push_back(c);
            ++at;
        }
    }
    return out;
}

}  // namespace orrery::importers
