// A calibration survives its file, and a file that is none is refused.
#include "data/calibration/calibration_file.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

Calibration sample() {
    Calibration calibration;
    calibration.name = "test";
    calibration.sources = {"a.csv"};
    DeviceCalibration device;
    device.device = "B200";
    device.gapPerTask = 12_us;
    KernelLaw law;
    law.cls = OpClass::gemm;
    law.opName = "qkv";
    law.halfTile = 17.25;
    law.residual = 0.03;
    law.reach = 3.0;
    device.laws.push_back(law);
    KernelTableEntry entry;
    entry.op.cls = OpClass::gemm;
    entry.op.m = 4096;
    entry.op.n = 512;
    entry.op.k = 1024;
    entry.op.flops = Flops(2.0 * 4096 * 512 * 1024);
    entry.opName = "qkv";
    entry.time = 33_us;
    entry.weight = -0.125;
    device.table.push_back(entry);
    entry.op = {};
    entry.op.cls = OpClass::attention;
    entry.op.tokens = 4096;
    entry.op.pairs = 1234567.5;
    entry.op.heads = 8;
    entry.op.headDim = 64;
    entry.opName.clear();
    device.table.push_back(entry);
    calibration.devices.push_back(device);
    CollectiveLaw collective;
    collective.kind = OpClass::reduceScatter;
    collective.device = "B200";
    collective.link = "NVLink";
    collective.regimes = {{10_us, 1_us, 100_GBps}};
    collective.points = {{8, 1, 1_MiB, 30_us, 0.5}};
    calibration.collectives.push_back(collective);
    return calibration;
}

std::string errorOf(const std::string& text) {
    try {
        (void)calibrationFromJson(text, "c.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a calibration reads back as it was written", "[calibration]") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery_calibration_test.json";
    writeCalibration(sample(), file);
    const Calibration read = readCalibration(file);
    std::filesystem::remove(file);
    CHECK(toJson(read) == toJson(sample()));
    CHECK(read.devices.at(0).laws.at(0).halfTile == 17.25);
    CHECK(read.devices[0].table.at(1).op.m + read.devices[0].table.at(0).op.m == 4096);
    CHECK(read.collectives.at(0).points.at(0).time == 30_us);
    CHECK(!std::filesystem::exists(file.string() + ".part"));
}

TEST_CASE("a file that is no calibration of this format is refused with the place", "[calibration]") {
    CHECK_THAT(errorOf(""), Contains("not JSON"));
    CHECK_THAT(errorOf("{}"), Contains("not a calibration"));
    std::string text = toJson(sample());
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string copy = text;
        copy.replace(copy.find(from), from.size(), to);
        return copy;
    };
    CHECK_THAT(errorOf(replaced("\"version\": 1", "\"version\": 99")), Contains("format 99 is not format 1"));
    CHECK_THAT(errorOf(replaced("\"overhead_s\": 0.0", "\"overhead_s\": -1")),
               Contains("/devices/0/laws/0: 'overhead_s' is negative"));
    CHECK_THAT(errorOf(replaced("\"class\": \"gemm\"", "\"class\": \"gem\"")), Contains("unknown class 'gem'"));
    CHECK_THAT(errorOf(replaced("\"half_tile\"", "\"half_tyle\"")), Contains("'half_tile' is missing"));
}

TEST_CASE("a place that cannot be written leaves nothing", "[calibration]") {
    CHECK_THROWS_AS(writeCalibration(sample(), "/nonexistent/dir/c.json"), InputError);
    CHECK_THROWS_AS(readCalibration("/nonexistent/c.json"), InputError);
}
