// Text from a trace is not trusted: how it goes into JSON and HTML.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// `text` as valid UTF-8: every byte that is not part of a well-formed sequence becomes U+FFFD.
[[nodiscard]] std::string validUtf8(std::string_view text);

/// Appends `text` as a JSON string with its quotes. Control characters, quotes and backslashes are escaped, and so are
/// `<`, `>`, `&` and U+2028/2029, so that the JSON can stand inside a <script> element.
void appendJson(std::string& out, std::string_view text);
[[nodiscard]] std::string jsonString(std::string_view text);
/// A number as JSON; not-a-number and infinities become null.
[[nodiscard]] std::string jsonNumber(double value);

/// `text` for HTML content and quoted attributes; control characters (other than line feed and tab) become U+FFFD.
[[nodiscard]] std::string html(std::string_view text);

/// `text` as one CSV field (RFC 4180); a leading = + - @ gets an apostrophe so that no spreadsheet runs it.
[[nodiscard]] std::string csvField(std::string_view text);

}  // namespace orrery
