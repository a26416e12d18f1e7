#include "data/lengths/binary_lengths.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::string_view kMegatron("MMIDIDX\0\0", 9);
constexpr std::string_view kNumpy("\x93NUMPY", 6);
constexpr std::int64_t kLongest = std::int64_t{1} << 31U;
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 31U;

[[noreturn]] void cut(const std::string& name) {
    throw InputError(fmt::format("{}: ends in the middle; copy the whole file", name));
}

template <typename Value>
Value read(std::ifstream& in, const std::string& name) {
    Value value{};
    std::array<char, sizeof(Value)> bytes{};
    if (!in.read(bytes.data(), sizeof(Value))) cut(name);
    std::memcpy(&value, bytes.data(), sizeof(Value));
    return value;
}

/// Bytes from here to the end, so that no count of a broken file makes us ask for memory that it cannot fill.
std::uint64_t bytesLeft(std::ifstream& in) {
    const auto here = in.tellg();
    in.seekg(0, std::ios::end);
    const auto end = in.tellg();
    in.seekg(here);
    return static_cast<std::uint64_t>(end - here);
}

template <typename Value>
std::vector<Value> readMany(std::ifstream& in, std::uint64_t count, const std::string& name) {
    if (count > bytesLeft(in) / sizeof(Value)) cut(name);
    std::vector<Value> values(count);
    if (count > 0 &&
        !in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(Value))))
        cut(name);
    return values;
}

std::int64_t checked(std::int64_t length, std::size_t index, const std::string& name) {
    if (length >= 1 && length <= kLongest) return length;
    throw InputError(fmt::format("{}: entry {} is {} tokens; a length is 1 or more", name, index, length));
}

/// Text between quotes or up to a separator behind `key` in the header of a .npy file.
std::string_view field(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    std::string_view rest = header.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(" :");
    return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

std::int64_t element(const char* bytes, int size, bool isSigned) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, static_cast<std::size_t>(size));
    if (isSigned && size < 8 && ((value >> (8 * size - 1)) & 1U) != 0) return -1;  // any negative length is refused
    return static_cast<std::int64_t>(value);
}

}  // namespace

LengthsFormat lengthsFormat(std::ifstream& in) {
    std::array<char, 9> start{};
    in.read(start.data(), start.size());
    const std::string_view head(start.data(), static_cast<std::size_t>(in.gcount()));
    in.clear();
    in.seekg(0);
    if (head == kMegatron) return LengthsFormat::megatronIndex;
    if (head.starts_with(kNumpy)) return LengthsFormat::numpy;
    return LengthsFormat::text;
}

std::vector<std::int64_t> readMegatronIndex(std::ifstream& in, const std::string& name) {
    in.seekg(static_cast<std::streamoff>(kMegatron.size()));
    const auto version = read<std::uint64_t>(in, name);
    if (version != 1) throw InputError(fmt::format("{}: version {} of Megatron's index; 1 is known", name, version));
    static_cast<void>(read<std::uint8_t>(in, name));  // type of the tokens
    const auto sequences = read<std::uint64_t>(in, name);
    const auto documents = read<std::uint64_t>(in, name);
    if (sequences > kMostEntries || documents > kMostEntries) cut(name);
    const auto sizes = readMany<std::int32_t>(in, sequences, name);
    const auto pointers = readMany<std::int64_t>(in, sequences, name);
    static_cast<void>(pointers);
    const auto begins = readMany<std::int64_t>(in, documents, name);
    std::vector<std::int64_t> lengths;
    for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
        if (begins[d] < 0 || begins[d + 1] < begins[d] || begins[d + 1] > static_cast<std::int64_t>(sequences))
            throw InputError(fmt::format("{}: document {} lies outside of the {} sequences", name, d, sequences));
        std::int64_t length = 0;
        for (auto s = begins[d]; s < begins[d + 1]; ++s) length += sizes[static_cast<std::size_t>(s)];
        if (length == 0) continue;  // an empty document trains nothing
        lengths.push_back(checked(length, d, name));
    }
    return lengths;
}

std::vector<std::int64_t> readNumpy(std::ifstream& in, const std::string& name) {
    in.seekg(static_cast<std::streamoff>(kNumpy.size()));
    const auto major = read<std::uint8_t>(in, name);
    static_cast<void>(read<std::uint8_t>(in, name));
    const std::uint64_t size = major == 1 ? read<std::uint16_t>(in, name) : read<std::uint32_t>(in, name);
    if (size > 65536)
        throw InputError(fmt::format("{}: its header has {} bytes; that is no list of lengths", name, size));
    const std::vector<char> bytes = readMany<char>(in, size, name);
    const std::string_view header(bytes.data(), bytes.size());
    const std::string_view type = field(header, "'descr'");
    const std::string_view shape = field(header, "'shape'");
    const bool known = type.size() > 4 && type[0] == '\'' && (type[1] == '<' || type[1] == '|') &&
                       (type[2] == 'i' || type[2] == 'u') &&
                       std::string_view("1248").find(type[3]) != std::string_view::npos;
    if (!known) throw InputError(fmt::format("{}: give little-endian whole numbers (dtype int32 or the like)", name));
    std::uint64_t count = 0;
    const auto [end, error] =
        std::from_chars(shape.data() + (shape.empty() ? 0 : 1), shape.data() + shape.size(), count);
    const std::string_view rest(end, static_cast<std::size_t>(shape.data() + shape.size() - end));
    if (shape.empty() || shape[0] != '(' || error != std::errc() || !(rest.starts_with(",)") || rest.starts_with(")")))
        throw InputError(fmt::format("{}: give one dimension, one length an entry", name));
    const int width = type[3] - '0';
    if (count > bytesLeft(in) / static_cast<std::uint64_t>(width)) cut(name);
    const std::vector<char> data = readMany<char>(in, count * static_cast<std::uint64_t>(width), name);
    std::vector<std::int64_t> lengths;
    lengths.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        lengths.push_back(
            checked(element(data.data() + i * static_cast<std::size_t>(width), width, type[2] == 'i'), i, name));
    return lengths;
}

}  // namespace orrery
