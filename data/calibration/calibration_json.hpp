// Parts of a calibration to and from JSON. Internal to data/calibration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/calibrate/calibration.hpp"

namespace orrery::calibration_json {

using Json = nlohmann::ordered_json;

/// A JSON value that knows its path, so that an error names the place.
class Reader {
  public:
    Reader(const Json& json, const std::string& file, std::string path)
        : json_(json), file_(file), path_(std::move(path)) {}

    [[nodiscard]] double number(std::string_view key) const;       ///< finite
    [[nodiscard]] double nonNegative(std::string_view key) const;  ///< finite and >= 0
    [[nodiscard]] std::int64_t integer(std::string_view key) const;
    [[nodiscard]] std::string text(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key) const;
    [[nodiscard]] std::vector<Reader> list(std::string_view key) const;
    [[nodiscard]] std::vector<double> numbers(std::size_t count) const;  ///< of an array of exactly `count` numbers
    [[nodiscard]] std::string asText() const;
    [[noreturn]] void fail(const std::string& what) const;

  private:
    [[nodiscard]] const Json& at(std::string_view key) const;

    const Json& json_;
    const std::string& file_;
    std::string path_;
};

[[nodiscard]] Json write(const DeviceCalibration& device);
[[nodiscard]] Json write(const CollectiveLaw& law);
[[nodiscard]] DeviceCalibration readDevice(const Reader& json);
[[nodiscard]] CollectiveLaw readCollective(const Reader& json);

}  // namespace orrery::calibration_json
