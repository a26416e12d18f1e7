#include "profiler/inject/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "profiler/inject/event.hpp"

namespace orrery::inject {
namespace {

constexpr std::uint32_t kReplacement = '?';

std::uint32_t scalarValue(wchar_t wide) {
    const auto c = static_cast<std::uint32_t>(wide);
    return c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? kReplacement : c;
}

/// Length of the well-formed sequence at the start of `text`; 0 when there is none (RFC 3629, section 4).
std::size_t sequenceLength(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte(1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : length;
}

}  // namespace

std::size_t toUtf8(const wchar_t* wide, char* out, std::size_t limit) {
    std::size_t used = 0;
    for (; wide != nullptr && *wide != L'\0' && used + 4 <= limit; ++wide) {
        const std::uint32_t c = scalarValue(*wide);
        const auto put = [&](std::uint32_t byte) { out[used++] = static_cast<char>(byte); };
        if (c < 0x80) {
            put(c);
        } else if (c < 0x800) {
            put(0xC0 | c >> 6);
            put(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            put(0xE0 | c >> 12);
            put(0x80 | (c >> 6 & 0x3F));
            put(0x80 | (c & 0x3F));
        } else {
            put(0xF0 | c >> 18);
            put(0x80 | (c >> 12 & 0x3F));
            put(0x80 | (c >> 6 & 0x3F));
            put(0x80 | (c & 0x3F));
        }
    }
    return used;
}

std::string toUtf8(const wchar_t* wide) {
    std::array<char, kMaxText> buffer{};
    return {buffer.data(), toUtf8(wide, buffer.data(), buffer.size())};
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string cleanUtf8(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        clean += length == 0 ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return clean;
}

}  // namespace orrery::inject
