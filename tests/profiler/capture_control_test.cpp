// When recording is on: the decisions alone, with times that the test makes up.
#include "profiler/inject/capture_control.hpp"

#include <cmath>
#include <csignal>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

namespace orrery::test {
namespace {

using namespace inject;

constexpr std::int64_t kMs = 1'000'000;

/// Feeds steps of `length` ms one after the other from time 0, each seen at once; returns which were recorded whole.
std::vector<int> recorded(CaptureControl& control, int steps, std::int64_t length = 100) {
    std::vector<int> whole;
    for (int i = 0; i < steps; ++i) {
        const std::int64_t start = i * length * kMs;
        const std::int64_t end = start + length * kMs - 1;
        const bool from = control.on() && control.window()->start <= start;
        control.tick(end, 0);
        if (from && control.on()) whole.push_back(i);
        control.stepEnded(i, start, end, end);
    }
    return whole;
}

}  // namespace

TEST_CASE("without conditions recording is on all the time and nothing is controlled", "[capture]") {
    CHECK_FALSE(CaptureSettings{}.controlled());
    CaptureControl control({}, 0);
    CHECK(recorded(control, 10).size() == 10);
}

TEST_CASE("so many whole steps from a step on, and again after a time", "[capture]") {
    CaptureSettings settings;
    settings.steps = 3;
    SECTION("from the first boundary on, once") {
        CaptureControl control(settings, 0);
        CHECK(recorded(control, 20) == std::vector<int>{1, 2, 3});
    }
    SECTION("from step 7 on") {
        settings.startStep = 7;
        CaptureControl control(settings, 0);
        CHECK(recorded(control, 20) == std::vector<int>{7, 8, 9});
        const auto windows = control.takeEnded();
        REQUIRE(windows.size() == 1);
        CHECK(windows[0].reason == "step 7");
        CHECK(control.takeEnded().empty());
    }
    SECTION("every second") {
        settings.every = 1000 * kMs;
        CaptureControl control(settings, 0);
        CHECK(recorded(control, 25) == std::vector<int>{1, 2, 3, 11, 12, 13, 21, 22, 23});
    }
}

TEST_CASE("windows by time, and limits of time and size that end recording for good", "[capture]") {
    CaptureSettings settings;
    SECTION("duration and period") {
        settings.duration = 300 * kMs;
        settings.every = 1000 * kMs;
        CaptureControl control(settings, 0);
        std::int64_t on = 0;
        for (std::int64_t t = 0; t < 3000; t += 10) {
            control.tick(t * kMs, 0);
            on += control.on() ? 10 : 0;
        }
        CHECK(on == Approx(900).margin(40));
    }
    SECTION("time") {
        settings.maxTime = 500 * kMs;
        CaptureControl control(settings, 0);
        control.tick(499 * kMs, 0);
        CHECK(control.on());
        control.tick(500 * kMs, 0);
        CHECK_FALSE(control.on());
        control.command(CaptureCommand::start, 600 * kMs);
        CHECK_FALSE(control.on());
        CHECK(control.status().find("time limit") != std::string::npos);
    }
    SECTION("size") {
        settings.maxBytes = 1000;
        CaptureControl control(settings, 0);
        control.tick(1, 999);
        CHECK(control.on());
        control.tick(2, 1000);
        CHECK_FALSE(control.on());
    }
}

TEST_CASE("commands start and stop; what began in a window is wanted, also when it is seen later", "[capture]") {
    CaptureSettings settings;
    settings.paused = true;
    CaptureControl control(settings, 0);
    CHECK_FALSE(control.wanted(5));
    control.command(CaptureCommand::start, 10);
    control.command(CaptureCommand::start, 12);
    CHECK(control.wanted(10));
    CHECK_FALSE(control.wanted(9));
    control.command(CaptureCommand::stop, 20);
    CHECK(control.wanted(19));
    CHECK_FALSE(control.wanted(20));
    control.command(CaptureCommand::toggle, 30);
    CHECK(control.on());
    control.command(CaptureCommand::toggle, 40);
    CHECK_FALSE(control.on());
    CHECK(control.takeEnded().size() == 2);
}

TEST_CASE("the cost of recording is the difference of medians, with its standard error", "[capture]") {
    OverheadMeter meter;
    CHECK_FALSE(meter.estimate().has_value());
    for (int i = 0; i < 40; ++i) {
        meter.add(true, 10'300 + i % 5 * 10);
        meter.add(false, 10'000 + i % 7 * 10);
    }
    meter.add(false, 10'000'000);  // a checkpoint
    const auto estimate = meter.estimate();
    REQUIRE(estimate.has_value());
    CHECK(estimate->share == Approx(0.029).margin(0.002));
    CHECK(estimate->uncertainty < 0.001);
    CHECK(estimate->with == 40);
}

TEST_CASE("a budget of overhead rests recording until it holds", "[capture]") {
    CaptureSettings settings;
    settings.maxOverhead = 0.01;
    const double cost = GENERATE(0.0, 0.005, 0.05, 0.2);
    CAPTURE(cost);
    CaptureControl control(settings, 0);
    std::int64_t now = 0;
    std::int64_t on = 0;
    std::int64_t lost = 0;
    constexpr int kSteps = 6000;
    for (int i = 0; i < kSteps; ++i) {
        const std::int64_t plain = 100'000 + i * 37 % 101 * 10;  // 0.5 % of noise
        const auto extra = control.on() ? static_cast<std::int64_t>(cost * static_cast<double>(plain)) : 0;
        if (i >= 200) {  // once the cost is known
            on += control.on() ? 1 : 0;
            lost += extra;
        }
        control.stepEnded(i, now, now + plain + extra, now + plain + extra);
        now += plain + extra;
    }
    CHECK(static_cast<double>(lost) / (100'500.0 * (kSteps - 200)) < 0.012);
    if (cost < 0.01) CHECK(on > (kSteps - 200) * 3 / 4);  // cheap recording rests little
    REQUIRE(control.overhead().estimate().has_value());
    CHECK(control.overhead().estimate()->share == Approx(cost).margin(0.004));
}

TEST_CASE("settings survive the environment", "[capture]") {
    rc::prop("round trip", [] {
        CaptureSettings settings;
        const auto maybe = [] {
            return *rc::gen::arbitrary<bool>() ? std::optional(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000))
                                               : std::nullopt;
        };
        settings.startStep = maybe();
        settings.steps = maybe();
        settings.every = maybe();
        settings.duration = maybe();
        settings.maxTime = maybe();
        settings.maxBytes = maybe();
        settings.rotate = maybe();
        settings.keep = maybe();
        settings.paused = *rc::gen::arbitrary<bool>();
        settings.socket = *rc::gen::arbitrary<bool>();
        settings.signal = *rc::gen::inRange(0, 60);
        settings.maxOverhead = *rc::gen::element(0.0, 0.01, 0.05);
        settings.stepName = *rc::gen::element<std::string>("", "ProfilerStep#", "a,b=c");
        RC_ASSERT(captureFromText(captureToText(settings)) == settings);
    });
    CHECK(captureFromText("steps=x,nonsense,=,every=") == CaptureSettings{});
    CHECK(captureFromText("steps=3,future=1,keep=2").keep == 2);
}

TEST_CASE("times, sizes, signals and shares are read with their units", "[capture]") {
    CHECK(parseTime("500ms") == 500 * kMs);
    CHECK(parseTime("10m") == 600'000 * kMs);
    CHECK(parseTime("1.5h") == 5'400'000 * kMs);
    for (const char* wrong : {"", "10", "-1s", "m", "0s", "1d", "1e99h"}) CHECK_FALSE(parseTime(wrong).has_value());
    CHECK(parseSize("64M") == 64 << 20);
    CHECK(parseSize("4096") == 4096);
    CHECK_FALSE(parseSize("64MB").has_value());
    CHECK(parseSignal("SIGUSR2") == SIGUSR2);
    CHECK_FALSE(parseSignal("SIGKILL").has_value());
    CHECK_FALSE(parseSignal("9").has_value());
    CHECK(parseShare("1%") == Approx(0.01));
    CHECK(parseShare("0.05") == Approx(0.05));
    for (const char* wrong : {"0", "1", "-1%", "100%", "x"}) CHECK_FALSE(parseShare(wrong).has_value());
}

}  // namespace orrery::test
