#include <cmath>

#include <fmt/format.h>

#include "data/calibration/calibration_json.hpp"
#include "model/units/input_error.hpp"

namespace orrery::calibration_json {

void Reader::fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}; calibrate again", file_, path_.empty() ? "/" : path_, what));
}

const Json& Reader::at(std::string_view key) const {
    if (!json_.is_object()) fail("expected an object");
    const auto found = json_.find(std::string(key));
    if (found == json_.end()) fail(fmt::format("'{}' is missing", key));
    return *found;
}

double Reader::number(std::string_view key) const {
    const Json& value = at(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(fmt::format("'{}' is not a number", key));
    return value.get<double>();
}

double Reader::nonNegative(std::string_view key) const {
    const double value = number(key);
    if (value < 0.0) fail(fmt::format("'{}' is negative", key));
    return value;
}

std::int64_t Reader::integer(std::string_view key) const {
    const Json& value = at(key);
    if (!value.is_number_integer()) fail(fmt::format("'{}' is not a whole number", key));
    return value.get<std::int64_t>();
}

std::string Reader::text(std::string_view key) const {
    const Json& value = at(key);
    if (!value.is_string()) fail(fmt::format("'{}' is not a text", key));
    return value.get<std::string>();
}

bool Reader::flag(std::string_view key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) fail(fmt::format("'{}' is neither true nor false", key));
    return value.get<bool>();
}

std::vector<Reader> Reader::list(std::string_view key) const {
    const Json& value = at(key);
    if (!value.is_array()) fail(fmt::format("'{}' is not a list", key));
    std::vector<Reader> items;
    for (std::size_t i = 0; i < value.size(); ++i)
        items.emplace_back(value[i], file_, fmt::format("{}/{}/{}", path_, key, i));
    return items;
}

std::vector<double> Reader::numbers(std::size_t count) const {
    if (!json_.is_array() || json_.size() != count) fail(fmt::format("expected a list of {} numbers", count));
    std::vector<double> values;
    for (const Json& value : json_) {
        if (!value.is_number() || !std::isfinite(value.get<double>())) fail("holds something that is not a number");
        values.push_back(value.get<double>());
    }
    return values;
}

std::string Reader::asText() const {
    if (!json_.is_string()) fail("expected a text");
    return json_.get<std::string>();
}

}  // namespace orrery::calibration_json
