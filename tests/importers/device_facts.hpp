// A device's figures against facts that were computed independently (README of the shared traces): counts exactly,
// times within 1 us + 1e-9 of the value.
#pragma once

#include <cmath>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "data/summary/profile_facts.hpp"

namespace orrery::test {

inline void checkTime(std::int64_t mine, const nlohmann::json& fact) {
    const auto expected = fact.get<double>();
    CHECK(std::abs(static_cast<double>(mine) - expected) <= 1000.0 + 1e-9 * std::abs(expected));
}

inline void checkDevice(const DeviceFacts& device, const nlohmann::json& fact) {
    CHECK(device.kernels == fact["kernels"].get<std::int64_t>());
    CHECK(device.streams == fact["streams"].get<std::int64_t>());
    CHECK(device.commKernels == fact["comm_kernels"].get<std::int64_t>());
    CHECK(nlohmann::json(device.collectives.empty() ? nlohmann::json::object() : nlohmann::json(device.collectives)) ==
          fact["collectives"]);
    checkTime(device.span, fact["span_ns"]);
    checkTime(device.sum, fact["sum_ns"]);
    checkTime(device.busy, fact["busy_ns"]);
    checkTime(device.commBusy, fact["comm_busy_ns"]);
    checkTime(device.exposedComm, fact["exposed_comm_ns"]);
    CHECK(device.idlePercent() == Approx(fact["idle_pct"].get<double>()).margin(0.0011));
}

}  // namespace orrery::test
