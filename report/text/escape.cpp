#include "report/text/escape.hpp"

#include <cmath>

#include <fmt/format.h>

namespace orrery {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned byteAt(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

/// Length of the well-formed UTF-8 sequence at `i`, 0 when there is none (Unicode 15, table 3-7).
std::size_t sequenceLength(std::string_view text, std::size_t i) {
    const unsigned first = byteAt(text, i);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                               : first >= 0xE0 && first <= 0xEF ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || i + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byteAt(text, i + k) & 0xC0U) != 0x80U) return 0;
    }
    const unsigned second = byteAt(text, i + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogateOrBeyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || surrogateOrBeyond ? 0 : length;
}

}  // namespace

std::string validUtf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequenceLength(text, i);
        out.append(length == 0 ? kReplacement : text.substr(i, length));
        i += length == 0 ? 1 : length;
    }
    return out;
}

void appendJson(std::string& out, std::string_view raw) {
    const std::string text = validUtf8(raw);
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool lineSeparator = text.compare(i, 3, "\xE2\x80\xA8") == 0 || text.compare(i, 3, "\xE2\x80\xA9") == 0;
        if (lineSeparator) {
            out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7F) {
            out += fmt::format("\\u{:04x}", c);
        } else {
            out += text[i];
        }
    }
    out += '"';
}

std::string jsonString(std::string_view text) {
    std::string out;
    appendJson(out, text);
    return out;
}

std::string jsonNumber(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string html(std::string_view raw) {
    std::string out;
    for (const char c : validUtf8(raw)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default: {
                const auto code = static_cast<unsigned char>(c);
                const bool control = (code < 0x20 && c != '\n' && c != '\t') || code == 0x7F;
                control ? out.append(kReplacement) : out.append(1, c);
            }
        }
    }
    return out;
}

std::string csvField(std::string_view raw) {
    std::string text = validUtf8(raw);
    if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
        text.insert(text.begin(), '\'');
    }
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

}  // namespace orrery
