// Document lengths in Megatron-LM's .idx and NumPy's .npy, byte by byte as those programs write them.
#include <cstring>

#include <catch2/catch.hpp>

#include "data/lengths/lengths_file.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

template <typename Value>
void put(std::string& out, Value value) {
    char bytes[sizeof(Value)];
    std::memcpy(bytes, &value, sizeof(Value));
    out.append(bytes, sizeof(Value));
}

/// megatron/core/datasets/indexed_dataset.py: header, version, dtype code, counts, sizes, pointers, document index.
std::string megatronIndex(const std::vector<std::int32_t>& sizes, const std::vector<std::int64_t>& documents) {
    std::string out("MMIDIDX\0\0", 9);
    put<std::uint64_t>(out, 1);
    put<std::uint8_t>(out, 4);
    put<std::uint64_t>(out, sizes.size());
    put<std::uint64_t>(out, documents.size());
    for (const std::int32_t size : sizes) put(out, size);
    std::int64_t pointer = 0;
    for (const std::int32_t size : sizes) {
        put(out, pointer);
        pointer += 4 * std::int64_t{size};
    }
    for (const std::int64_t document : documents) put(out, document);
    return out;
}

std::string numpy(const std::string& dtype, const std::string& shape, const std::string& data) {
    std::string header = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape + ", }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    std::string out("\x93NUMPY\x01\x00", 8);
    put<std::uint16_t>(out, static_cast<std::uint16_t>(header.size()));
    out += header;
    return out + data;
}

}  // namespace

TEST_CASE("documents of a Megatron index are its sequences added up", "[lengths]") {
    const test::TempFolder folder;
    const auto file = folder.write("data.idx", megatronIndex({100, 20, 7, 5000, 1}, {0, 1, 3, 3, 5}));
    CHECK(readLengths(file) == std::vector<std::int64_t>{100, 27, 5001});
}

TEST_CASE("lengths of a NumPy array of any integer type", "[lengths]") {
    const test::TempFolder folder;
    std::string wide, narrow;
    for (const std::int64_t length : {5, 70000, 12}) put(wide, length);
    for (const std::uint16_t length : {std::uint16_t{5}, std::uint16_t{65535}}) put(narrow, length);
    CHECK(readLengths(folder.write("a.npy", numpy("<i8", "(3,)", wide))) == std::vector<std::int64_t>{5, 70000, 12});
    CHECK(readLengths(folder.write("b.npy", numpy("<u2", "(2,)", narrow))) == std::vector<std::int64_t>{5, 65535});
}

TEST_CASE("texts of JSON lines become lengths by a ratio, and are refused without one", "[lengths]") {
    const test::TempFolder folder;
    const auto file =
        folder.write("corpus.jsonl", "{\"text\": \"twelve chars\"}\n{\"text\": \"äöü\"}\n{\"length\": 9}\n");
    CHECK(readLengths(file, 3.0) == std::vector<std::int64_t>{4, 1, 9});
    CHECK_THROWS_WITH(readLengths(file), Contains(":1:") && Contains("characters_per_token"));
}

TEST_CASE("broken binary lengths are refused and ask for no memory that the file cannot fill", "[lengths][wrong]") {
    const test::TempFolder folder;
    const std::string whole = megatronIndex({100, 20}, {0, 1, 2});
    for (std::size_t bytes = 9; bytes < whole.size(); bytes += 5) {
        INFO(bytes);
        CHECK_THROWS_WITH(readLengths(folder.write("cut.idx", whole.substr(0, bytes))), Contains("ends in the middle"));
    }
    std::string huge = whole;
    const std::uint64_t count = std::uint64_t{1} << 30U;
    std::memcpy(huge.data() + 18, &count, sizeof count);
    CHECK_THROWS_WITH(readLengths(folder.write("huge.idx", huge)), Contains("ends in the middle"));
    CHECK_THROWS_WITH(readLengths(folder.write("far.idx", megatronIndex({100}, {0, 7}))), Contains("outside"));
    CHECK_THROWS_WITH(readLengths(folder.write("minus.idx", megatronIndex({-4}, {0, 1}))), Contains("1 or more"));
    std::string eight;
    put<std::int64_t>(eight, 8);
    CHECK_THROWS_WITH(readLengths(folder.write("f.npy", numpy("<f8", "(1,)", eight))), Contains("whole numbers"));
    CHECK_THROWS_WITH(readLengths(folder.write("2d.npy", numpy("<i8", "(1, 1)", eight))), Contains("one dimension"));
    CHECK_THROWS_WITH(readLengths(folder.write("cut.npy", numpy("<i8", "(5,)", eight))),
                      Contains("ends in the middle"));
    std::string minus;
    put<std::int16_t>(minus, -3);
    CHECK_THROWS_WITH(readLengths(folder.write("m.npy", numpy("<i2", "(1,)", minus))), Contains("1 or more"));
    CHECK_THROWS_WITH(readLengths(folder.write("none.npy", numpy("<i8", "(0,)", ""))), Contains("holds no document"));
}
