#include "data/catalog/catalog.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/catalog/spec_tables.hpp"
#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

/// "H100 SXM", "h100-sxm" and "H100_SXM" are one name.
std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c == ' ' || c == '_' || c == '-' || c == '.') continue;
        out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
    return out;
}

/// What a bare "H100" means.
std::string_view alias(std::string_view name) {
    const std::string text = plain(name);
    if (text == "h100") return "H100-SXM";
    if (text == "a100") return "A100-80";
    if (text == "v100") return "V100-16";
    return name;
}

std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The file whose name is `name`; throws InputError with the nearest.
std::filesystem::path find(const std::filesystem::path& folder, std::string_view kind, std::string_view name) {
    std::vector<std::string> known;
    for (const auto& file : filesIn(folder)) {
        if (plain(file.stem().string()) == plain(name)) return file;
        known.push_back(file.stem().string());
    }
    const auto meant = nearest(name, known);
    throw InputError(fmt::format(
        "unknown {} '{}'; {}", kind, name,
        meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("known are {}", fmt::join(known, ", "))));
}

ClusterPreset readCluster(const std::filesystem::path& path) {
    const std::string file = path.filename().string();
    const toml::table root = parseTomlFile(path);
    StrictTable outer(root, "the file", file);
    const toml::table* cluster = outer.table("cluster");
    if (cluster == nullptr) outer.fail("cluster", "the table is missing");
    StrictTable table(*cluster, "[cluster]", file);
    ClusterPreset preset;
    preset.name = path.stem().string();
    preset.gpu = table.text("gpu").value_or("");
    preset.gpusPerNode = static_cast<int>(table.integer("gpus_per_node", 1, 4096).value_or(8));
    if (!table.text("source")) table.fail("source", "is missing; a fact without a source is refused");
    if (const auto* links = table.array("links")) {
        for (const auto& link : *links) preset.links.push_back(readLink(*link.as_table(), file));
    }
    table.finish();
    outer.finish();
    return preset;
}

}  // namespace

GpuSpec Catalog::gpu(std::string_view name) const {
    const std::string wanted = plain(alias(name));
    std::vector<std::string> known;
    for (auto& gpu : readGpus(directory_)) {
        if (plain(gpu.name) == wanted) return std::move(gpu);
        known.push_back(gpu.name);
    }
    const auto meant = nearest(name, known);
    throw InputError(fmt::format(
        "unknown GPU '{}'; {}", name,
        meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("known are {}", fmt::join(known, ", "))));
}

ClusterPreset Catalog::cluster(std::string_view name) const {
    return readCluster(find(directory_ / "clusters", "cluster preset", name));
}

ModelSpec Catalog::model(std::string_view name) const {
    const std::filesystem::path path = find(directory_ / "models", "model preset", name);
    const std::string file = path.filename().string();
    const toml::table root = parseTomlFile(path);
    StrictTable outer(root, "the file", file);
    const toml::table* fields = outer.table("model");
    if (fields == nullptr) outer.fail("model", "the table is missing");
    StrictTable table(*fields, "[model]", file);
    ModelSpec model;
    readModelFields(table, file, model);
    model.name = path.stem().string();
    if (!table.text("source")) table.fail("source", "is missing; a fact without a source is refused");
    static_cast<void>(table.number("parameters_billion", 0.0, 1e6));
    table.finish();
    outer.finish();
    return model;
}

std::optional<ClusterPreset> Catalog::usualCluster(std::string_view gpu) const {
    for (const auto& file : filesIn(directory_ / "clusters")) {
        ClusterPreset preset = readCluster(file);
        if (plain(preset.gpu) == plain(alias(gpu))) return preset;
    }
    return std::nullopt;
}

ClusterSpec instantiate(const ClusterPreset& preset, const GpuSpec& gpu, int gpus) {
    ClusterSpec cluster;
    cluster.name = fmt::format("{} x {}", gpus, gpu.name);
    cluster.gpu = gpu;
    cluster.gpus = gpus;
    cluster.gpusPerNode = std::min(gpus, preset.gpusPerNode);
    for (LinkLevel link : preset.links) {
        const bool joinsAll = link.size == 0 || link.size >= gpus;
        if (joinsAll) link.size = gpus;
        cluster.links.push_back(std::move(link));
        if (joinsAll) break;
    }
    return cluster;
}

}  // namespace orrery
