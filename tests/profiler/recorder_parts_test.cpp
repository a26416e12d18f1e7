// Parts of the recorder by themselves: ring, nesting, texts, schemas.
#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "profiler/inject/event.hpp"
#include "profiler/inject/nesting.hpp"
#include "profiler/inject/payload_schema.hpp"
#include "profiler/inject/ring_buffer.hpp"
#include "profiler/inject/text.hpp"

namespace orrery::inject {
namespace {

bool put(RingBuffer& ring, std::uint64_t value, std::size_t size, std::size_t keepFree = 0) {
    std::byte* place = ring.reserve(size, keepFree);
    if (place == nullptr) return false;
    std::memset(place, 0, size);
    std::memcpy(place, &value, sizeof(value));
    ring.commit(size);
    return true;
}

}  // namespace

TEST_CASE("a ring hands out what was put in, in order, and refuses when full", "[recorder]") {
    CHECK(rc::check([] {
        RingBuffer ring(4096);
        std::deque<std::pair<std::uint64_t, std::size_t>> expected;
        std::uint64_t next = 0;
        std::size_t used = 0;
        const auto steps = *rc::gen::container<std::vector<int>>(200, rc::gen::inRange(0, 40));
        for (const int step : steps) {
            if (step == 0) {
                ring.drain([&](std::span<const std::byte> record) {
                    std::uint64_t value = 0;
                    std::memcpy(&value, record.data(), sizeof(value));
                    RC_ASSERT(!expected.empty());
                    RC_ASSERT(value == expected.front().first);
                    RC_ASSERT(record.size() == expected.front().second);
                    expected.pop_front();
                });
                RC_ASSERT(expected.empty());
                used = 0;
            } else {
                const std::size_t size = static_cast<std::size_t>(step) * 8;
                if (put(ring, next, size)) {
                    expected.emplace_back(next, size);
                    used += RingBuffer::footprint(size);
                } else {
                    // Refused only when it could not fit: a skip at the end wastes less than one record.
                    RC_ASSERT(used + 2 * RingBuffer::footprint(size) > ring.capacity() - 320);
                }
                ++next;
            }
            RC_ASSERT(used <= ring.capacity());
        }
    }));
}

TEST_CASE("pops of recorded pushes always find room in the ring", "[recorder]") {
    CHECK(rc::check([] {
        RingBuffer ring(4096);
        const std::size_t pop = headSize(EventKind::pop);
        std::size_t open = 0;
        const auto steps = *rc::gen::container<std::vector<int>>(600, rc::gen::inRange(0, 30));
        for (const int step : steps) {
            if (step < 8) {  // a pop, when there is something to pop
                if (open == 0) continue;
                RC_ASSERT(put(ring, 1, pop));
                --open;
            } else if (put(ring, 2, static_cast<std::size_t>(step) * 8, (open + 2) * RingBuffer::footprint(pop))) {
                ++open;
            }
            if (step == 29 && open % 5 == 0) ring.drain([](auto) {});
        }
        for (; open > 0; --open) RC_ASSERT(put(ring, 1, pop));
    }));
}

TEST_CASE("a ring between two threads loses and repeats nothing", "[recorder]") {
    RingBuffer ring(4096);
    constexpr std::uint64_t kCount = 100'000;
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < kCount;) {
            if (put(ring, i, 8 + i % 5 * 8)) {
                ++i;
            } else {
                std::this_thread::yield();
            }
        }
    });
    std::uint64_t expected = 0;
    bool inOrder = true;
    while (expected < kCount) {
        if (ring.drain([&](std::span<const std::byte> record) {
                    std::uint64_t value = 0;
                    std::memcpy(&value, record.data(), sizeof(value));
                    inOrder = inOrder && value == expected && record.size() == 8 + value % 5 * 8;
                    ++expected;
                })
                .waiting == 0) {
            std::this_thread::yield();
        }
    }
    producer.join();
    CHECK(inOrder);
    CHECK(expected == kCount);
}

TEST_CASE("nesting pairs each pop with the innermost push of its domain", "[recorder]") {
    CHECK(rc::check([] {
        Nesting nesting;
        std::vector<std::pair<std::uint32_t, bool>> model;
        const auto steps = *rc::gen::container<std::vector<std::tuple<bool, std::uint32_t, bool>>>(
            300, rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::inRange<std::uint32_t>(0, 3),
                                rc::gen::arbitrary<bool>()));
        for (const auto& [isPush, domain, recorded] : steps) {
            if (isPush) {
                nesting.push(domain, recorded);
                model.emplace_back(domain, recorded);
            } else {
                const auto match = std::find_if(model.rbegin(), model.rend(),
                                                [d = domain](const auto& entry) { return entry.first == d; });
                const auto popped = nesting.pop(domain);
                if (match == model.rend()) {
                    RC_ASSERT(popped == Nesting::Popped::nothing);
                } else {
                    RC_ASSERT(popped == (match->second ? Nesting::Popped::recorded : Nesting::Popped::dropped));
                    model.erase(std::next(match).base());
                }
            }
            RC_ASSERT(nesting.depth() == static_cast<int>(model.size()));
            RC_ASSERT(nesting.recorded() == static_cast<std::size_t>(std::count_if(
                                                model.begin(), model.end(), [](const auto& e) { return e.second; })));
        }
    }));
}

TEST_CASE("texts of any bytes become valid UTF-8, and valid ones stay as they are", "[recorder]") {
    CHECK(rc::check([](const std::vector<char>& bytes) {
        const std::string text(bytes.begin(), bytes.end());
        const std::string clean = cleanUtf8(text);
        RC_ASSERT(isUtf8(clean));
        RC_ASSERT(clean.size() == text.size());
        if (isUtf8(text)) RC_ASSERT(clean == text);
    }));
    CHECK(cleanUtf8("é中🚀") == "é中🚀");
    CHECK(cleanUtf8("\xC0\xAF") == "??");            // overlong
    CHECK(cleanUtf8("\xED\xA0\x80") == "???");       // a surrogate
    CHECK(cleanUtf8("\xF4\x90\x80\x80") == "????");  // beyond U+10FFFF
    CHECK(cleanUtf8("a\xE4\xB8") == "a??");          // cut short
}

TEST_CASE("wide texts of any value become valid UTF-8 within the limit", "[recorder]") {
    CHECK(rc::check([](const std::vector<std::uint32_t>& values) {
        std::wstring wide;
        for (const auto value : values) wide += static_cast<wchar_t>(value);
        char buffer[64];
        const std::size_t used = toUtf8(wide.c_str(), buffer, sizeof(buffer));
        RC_ASSERT(used <= sizeof(buffer));
        RC_ASSERT(isUtf8({buffer, used}));
    }));
    CHECK(toUtf8(L"wide é中🚀") == "wide é中🚀");
    CHECK(toUtf8(nullptr).empty());
}

TEST_CASE("entries whose place cannot be known are skipped, not guessed", "[recorder]") {
    using namespace nvtx::abi;
    const SchemaEntry entries[] = {
        {0, entryInt32, "a", nullptr, 0, 0, nullptr, nullptr},
        {1U << 4U, entryInt16, "fixed array", nullptr, 3, 0, nullptr, nullptr},
        {0, entryInt8, "behind array", nullptr, 0, 0, nullptr, nullptr},
        {0, kStaticSchemaStart + 1, "nested", nullptr, 0, 0, nullptr, nullptr},
        {0, entryInt32, "behind nested", nullptr, 0, 0, nullptr, nullptr},
        {0, entryDouble, "placed", nullptr, 0, 64, nullptr, nullptr},
        {kEntryIsPointer, entryInt32, "pointer", nullptr, 0, 0, nullptr, nullptr},
        {0, entryInt64, nullptr, nullptr, 0, 0, nullptr, nullptr},
    };
    SchemaAttributes attributes{};
    attributes.fields = schemaHasEntries | schemaHasEntryCount;
    attributes.entries = entries;
    attributes.entryCount = std::size(entries);
    const PayloadSchema schema = readSchema(attributes);
    REQUIRE(schema.fields.size() == 4);
    CHECK(schema.skipped == 4);
    CHECK(schema.fields[0].offset == 0);
    CHECK(schema.fields[1].name == "behind array");
    CHECK(schema.fields[1].offset == 10);  // 4, then 3 x 2
    CHECK(schema.fields[2].offset == 64);
    CHECK(schema.fields[3].name == "field7");
    CHECK(schema.fields[3].offset == 80);  // 64 + 8, then a pointer
}

TEST_CASE("payloads of any bytes decode without reading past their end", "[recorder]") {
    CHECK(rc::check([](const std::vector<std::uint8_t>& raw, std::uint64_t offset) {
        using namespace nvtx::abi;
        PayloadSchema schema;
        for (const std::uint64_t type : {entryInt8, entryInt16, entryInt32, entryInt64, entryFloat, entryDouble}) {
            schema.fields.push_back({"near", type, offset % 24});
            schema.fields.push_back({"far", type, offset});
        }
        const auto values = decodePayload(schema, std::as_bytes(std::span(raw)), [](auto) { return std::string(); });
        RC_ASSERT(values.size() == schema.fields.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (schema.fields[i].offset >= raw.size()) RC_ASSERT(std::holds_alternative<std::monostate>(values[i]));
        }
    }));
}

}  // namespace orrery::inject
