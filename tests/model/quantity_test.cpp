#include "model/units/quantity.hpp"

#include <type_traits>

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("units multiply, divide and cancel", "[units]") {
    static_assert(std::is_same_v<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
    static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(2)), double>);
    CHECK((6_TFLOP / 3_TFLOPps).value() == Approx(2.0));
    CHECK((1_GiB / 1_KiB) == Approx(1048576.0));
    CHECK(toNanoseconds(1.5_us) == 1500);
}
