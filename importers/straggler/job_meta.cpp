#include "importers/straggler/job_meta.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr std::int64_t kLargestSize = 1'000'000;  ///< more ranks than any job has; products fit 64 bits

std::int64_t size(const YAML::Node& meta, const char* key, std::int64_t otherwise, const std::string& file) {
    const YAML::Node node = meta[key];
    if (!node) return otherwise;
    std::int64_t value = 0;
    if (!node.IsScalar() || !YAML::convert<std::int64_t>::decode(node, value) || value < 1 || value > kLargestSize) {
        throw InputError(fmt::format("{}:{}: '{}' is not a positive number", file, node.Mark().line + 1, key));
    }
    return value;
}

}  // namespace

std::optional<JobMeta> readJobMeta(const std::filesystem::path& timeline) {
    constexpr std::string_view kPrefix = "timeline-";
    std::string name = timeline.filename().string();
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name = name.substr(kPrefix.size(), name.find('.') - kPrefix.size());
    const auto file = timeline.parent_path() / fmt::format("meta-{}.yaml", name);
    if (!std::filesystem::is_regular_file(file)) return std::nullopt;
    YAML::Node meta;
    try {
        meta = YAML::LoadFile(file.string());
    } catch (const YAML::Exception& error) {
        throw InputError(fmt::format("{}:{}: no YAML: {}", file.string(), error.mark.line + 1, error.msg));
    }
    if (!meta.IsMap()) throw InputError(fmt::format("{}: has no keys such as 'dp_size: 2'", file.string()));
    JobMeta out;
    out.dp = size(meta, "dp_size", 1, file.string());
    out.pp = size(meta, "pp_size", 1, file.string());
    out.gpus = size(meta, "tp_size", 1, file.string()) * size(meta, "dsp_size", 1, file.string());
    out.worldSize = size(meta, "world_size", out.dp * out.pp * out.gpus, file.string());
    return out;
}

}  // namespace orrery::importers
