// The wire format of protocol buffers, as far as a trace needs it: varints, fixed 64-bit, texts and nested messages
// (protobuf.dev/programming-guides/encoding). Why not libprotobuf: docs/decisions/0004-perfetto-by-hand.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// Appends fields of one message; `bytes()` is the encoded message. Field numbers are the caller's.
class ProtoMessage {
  public:
    ProtoMessage& varint(std::uint32_t field, std::uint64_t value) {
        tag(field, 0);
        raw(value);
        return *this;
    }
    ProtoMessage& fixed64(std::uint32_t field, std::uint64_t value) {
        tag(field, 1);
        for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>((value >> shift) & 0xFFU));
        return *this;
    }
    ProtoMessage& text(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        raw(value.size());
        bytes_.append(value);
        return *this;
    }
    ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    void tag(std::uint32_t field, std::uint32_t wireType) { raw((std::uint64_t{field} << 3U) | wireType); }
    void raw(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
        bytes_.push_back(static_cast<char>(value));
    }

    std::string bytes_;
};

}  // namespace orrery
