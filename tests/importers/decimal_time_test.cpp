#include "importers/kineto/decimal_time.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>

using orrery::importers::nanosecondsFromMicroseconds;

TEST_CASE("microseconds as text become nanoseconds without loss", "[kineto]") {
    CHECK(nanosecondsFromMicroseconds("1365627866520.196") == 1365627866520196);
    CHECK(nanosecondsFromMicroseconds("1661203463029566") == 1661203463029566000);
    CHECK(nanosecondsFromMicroseconds("\"12.5\"") == 12500);
    CHECK(nanosecondsFromMicroseconds("-3.001") == -3001);
    CHECK(nanosecondsFromMicroseconds("0.0004") == 0);
    CHECK(nanosecondsFromMicroseconds("0.0005") == 1);
    CHECK(nanosecondsFromMicroseconds("1.5e3") == 1500000);
}

TEST_CASE("what is no time or fits no 64-bit nanoseconds is nothing, never 0", "[kineto]") {
    for (const char* text : {"", "-", ".", "nan", "NaN", "inf", "N/A", "null", "1.2.3", "12us", "9223372036854776",
                             "99999999999999999999999999", "1e30", "\"\""}) {
        CAPTURE(text);
        CHECK_FALSE(nanosecondsFromMicroseconds(text));
    }
}

TEST_CASE("every nanosecond survives the way through decimal text", "[kineto]") {
    CHECK(rc::check("print as us.nnn and read back", [] {
        const auto ns = *rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000'000'000);
        RC_ASSERT(nanosecondsFromMicroseconds(fmt::format("{}.{:03}", ns / 1000, ns % 1000)) == ns);
    }));
}
