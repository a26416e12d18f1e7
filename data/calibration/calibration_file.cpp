#include "data/calibration/calibration_file.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "data/calibration/calibration_json.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// Takes the line breaks out of lists of numbers, so that a measured row is one line of the file.
std::string numberListsOnOneLine(const std::string& text) {
    std::string out;
    out.reserve(text.size());
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) inString = !inString;
        if (inString || text[i] != '[') continue;
        const std::size_t first = text.find_first_not_of(" \n", i + 1);
        const std::size_t end = text.find(']', i);
        if (first == std::string::npos || end == std::string::npos) continue;
        if (text[first] != '-' && (text[first] < '0' || text[first] > '9')) continue;
        for (++i; i < end; ++i) {
            if (text[i] != ' ' && text[i] != '\n') out += text[i];
        }
        out += ']';
    }
    return out;
}

}  // namespace

std::string toJson(const Calibration& calibration, int indent) {
    using calibration_json::Json;
    Json json;
    json["format"] = "orrery-calibration";
    json["version"] = kCalibrationFormat;
    json["units"] =
        "times in s, sizes in bytes, rates in bytes/s; efficiencies are fractions of the data sheet; residuals "
        "are rms of ln(measured / law)";
    json["name"] = calibration.name;
    json["sources"] = calibration.sources;
    json["stand_ins"] = Json::array();
    for (const StandIn& s : calibration.standIns) {
        json["stand_ins"].push_back({{"device", s.device}, {"like", s.like}});
    }
    json["devices"] = Json::array();
    for (const DeviceCalibration& device : calibration.devices)
        json["devices"].push_back(calibration_json::write(device));
    json["collectives"] = Json::array();
    for (const CollectiveLaw& law : calibration.collectives) {
        json["collectives"].push_back(calibration_json::write(law));
    }
    return numberListsOnOneLine(json.dump(indent)) + "\n";
}

Calibration calibrationFromJson(std::string_view text, const std::string& name) {
    using calibration_json::Json;
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error& error) {
        throw InputError(
            fmt::format("{}: not JSON at byte {}; expected a file written by 'orrery calibrate'", name, error.byte));
    }
    if (!json.is_object() || json.value("format", "") != "orrery-calibration") {
        throw InputError(fmt::format("{}: not a calibration; write one with 'orrery calibrate'", name));
    }
    const calibration_json::Reader root(json, name, "");
    if (const auto version = root.integer("version"); version != kCalibrationFormat) {
        throw InputError(fmt::format("{}: calibration format {} is not format {} of this program; calibrate again",
                                     name, version, kCalibrationFormat));
    }
    Calibration calibration;
    calibration.name = root.text("name");
    for (const auto& source : root.list("sources")) calibration.sources.push_back(source.asText());
    for (const auto& standIn : root.list("stand_ins")) {
        calibration.standIns.push_back({standIn.text("device"), standIn.text("like")});
    }
    for (const auto& device : root.list("devices")) {
        calibration.devices.push_back(calibration_json::readDevice(device));
    }
    for (const auto& law : root.list("collectives")) {
        calibration.collectives.push_back(calibration_json::readCollective(law));
    }
    return calibration;
}

Calibration readCalibration(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file)) {
        throw InputError(fmt::format("{}: cannot be read; give the path of a calibration", file.string()));
    }
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    Calibration calibration = calibrationFromJson(text, file.filename().string());
    if (calibration.name.empty()) calibration.name = file.stem().string();
    return calibration;
}

void writeCalibration(const Calibration& calibration, const std::filesystem::path& file) {
    const std::filesystem::path beside = file.string() + ".part";
    {
        std::ofstream out(beside, std::ios::binary);
        out << toJson(calibration);
        out.flush();
        if (!out) throw InputError(fmt::format("{}: cannot be written; choose a writable place", file.string()));
    }
    std::error_code error;
    std::filesystem::rename(beside, file, error);
    if (error) {
        std::filesystem::remove(beside, error);
        throw InputError(fmt::format("{}: cannot be written; choose a writable place", file.string()));
    }
}

}  // namespace orrery
