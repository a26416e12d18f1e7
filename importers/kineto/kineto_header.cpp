#include "importers/kineto/kineto_header.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include "importers/io/time_range.hpp"
#include "importers/kineto/json_scan.hpp"

namespace orrery::importers {
namespace {

using Json = nlohmann::json;

/// Parses a top-level value, mended if need be; a discarded value when nothing helps.
Json parse(std::string_view text) {
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json::parse(mendEvent(text), nullptr, false) : value;
}

std::optional<std::int64_t> integer(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    if (found->is_number_integer()) return found->get<std::int64_t>();
    if (!found->is_string()) return std::nullopt;
    const auto& text = found->get_ref<const std::string&>();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::string ranksOf(const Json& group) {
    const auto found = group.find("ranks");
    if (found == group.end()) return {};
    return normalizeRanks(found->is_string() ? found->get<std::string>() : found->dump());
}

}  // namespace

std::string normalizeRanks(std::string_view list) {
    std::string out;
    std::string digits;
    for (const char c : list) {
        if (c >= '0' && c <= '9') {
            digits.push_back(c);
        } else if (c == ',' || c == ']') {
            if (!digits.empty()) out += (out.empty() ? "" : ",") + digits;
            digits.clear();
        } else if (c != '[' && c != ' ') {
            return {};  // an ellipsis or something else that hides ranks
        }
    }
    if (!digits.empty()) out += (out.empty() ? "" : ",") + digits;
    return out;
}

KinetoHeader readHeader(const KinetoDocument& document) {
    KinetoHeader header;
    if (const auto raw = document.topLevel("distributedInfo"); !raw.empty()) {
        const Json info = parse(raw);
        if (info.is_object()) {
            header.rank = integer(info, "rank");
            header.worldSize = integer(info, "world_size");
            header.backend = text(info, "backend");
            header.ncclVersion = text(info, "nccl_version");
            if (const auto groups = info.find("pg_config"); groups != info.end() && groups->is_array()) {
                for (const auto& group : *groups) {
                    if (!group.is_object()) continue;
                    header.groups.push_back(
                        {text(group, "pg_name"), text(group, "pg_desc"), integer(group, "pg_size"), ranksOf(group)});
                }
            }
        }
    }
    if (const auto raw = document.topLevel("deviceProperties"); !raw.empty()) {
        const Json devices = parse(raw);
        if (devices.is_array()) {
            for (const auto& device : devices) {
                if (!device.is_object()) continue;
                header.devices.push_back(
                    {integer(device, "id").value_or(static_cast<std::int64_t>(header.devices.size())),
                     text(device, "name"), integer(device, "totalGlobalMem"), integer(device, "numSms")});
            }
        }
    }
    if (const auto raw = document.topLevel("baseTimeNanoseconds"); !raw.empty()) {
        const Json base = parse(raw);
        if (base.is_number_integer() && isTime(base.get<std::int64_t>())) header.baseTime = base.get<std::int64_t>();
    }
    return header;
}

}  // namespace orrery::importers
