#include "data/catalog/catalog.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/catalog/framework_table.hpp"
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

/// Short names as people and other tools write them, beside the catalog's own.
std::string_view alias(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kAliases{{
        {"h100", "H100-SXM"},        {"h100sxm5", "H100-SXM"},     {"h10080gb", "H100-SXM"},
        {"h100sxm80gb", "H100-SXM"}, {"h200sxm", "H200"},          {"a100", "A100-80"},
        {"a10080gb", "A100-80"},     {"a100sxm", "A100-80"},       {"a100sxm80gb", "A100-80"},
        {"a100sxm480gb", "A100-80"}, {"a10040gb", "A100-40"},      {"a100sxm40gb", "A100-40"},
        {"a100sxm440gb", "A100-40"}, {"a100pcie", "A100-PCIe-80"}, {"v100", "V100-16"},
        {"v10016gb", "V100-16"},     {"v10032gb", "V100-32"},      {"b200sxm", "B200"},
        {"mi250x", "MI250X-GCD"},
    }};
    const std::string text = plain(name);
    for (const auto& [shortName, full] : kAliases) {
        if (shortName == text) return full;
    }
    return name;
}

[[noreturn]] void unknown(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
    const auto meant = nearest(name, known);
    throw InputError(fmt::format("unknown {} '{}'; {}{}", kind, name,
                                 meant ? fmt::format("did you mean '{}'? ", *meant) : std::string(),
                                 fmt::format("known are {}", fmt::join(known, ", "))));
}

std::vector<std::string> stems(const std::vector<CatalogFile>& files) {
    std::vector<std::string> names;
    for (const CatalogFile& file : files) names.push_back(file.stem);
    return names;
}

CatalogFile find(std::vector<CatalogFile> files, std::string_view kind, std::string_view name) {
    for (CatalogFile& file : files) {
        if (plain(file.stem) == plain(name)) return std::move(file);
    }
    unknown(kind, name, stems(files));
}

ClusterPreset readCluster(const CatalogFile& entry) {
    const std::string& file = entry.origin;
    const toml::table root = parse(entry);
    StrictTable outer(root, "the file", file);
    const toml::table* cluster = outer.table("cluster");
    if (cluster == nullptr) outer.fail("cluster", "the table is missing");
    StrictTable table(*cluster, "[cluster]", file);
    ClusterPreset preset;
    preset.name = entry.stem;
    preset.gpu = table.text("gpu").value_or("");
    preset.gpusPerNode = static_cast<int>(table.integer("gpus_per_node", 1, 4096).value_or(8));
    if (!table.text("source")) table.fail("source", "is missing; a fact without a source is refused");
    if (const auto* links = table.array("links")) {
        for (const auto& link : *links) {
            if (!link.is_table()) table.failAt(link, "links: write [[cluster.links]] tables");
            preset.links.push_back(readLink(*link.as_table(), file));
        }
    }
    table.finish();
    outer.finish();
    return preset;
}

}  // namespace

CatalogGpu Catalog::device(std::string_view name) const {
    const std::string wanted = plain(alias(name));
    std::vector<std::string> known;
    for (auto& gpu : readGpus(directory_)) {
        if (plain(gpu.spec.name) == wanted) return std::move(gpu);
        known.push_back(gpu.spec.name);
    }
    unknown("GPU", name, known);
}

GpuSpec Catalog::gpu(std::string_view name) const {
    return device(name).spec;
}

Operation Catalog::operation(std::string_view gpu) const {
    return device(gpu).operation;
}

ClusterPreset Catalog::cluster(std::string_view name) const {
    return readCluster(find(catalogFiles("clusters", directory_), "cluster preset", name));
}

ModelSpec Catalog::model(std::string_view name) const {
    const CatalogFile entry = find(catalogFiles("models", directory_), "model preset", name);
    const toml::table root = parse(entry);
    StrictTable outer(root, "the file", entry.origin);
    const toml::table* fields = outer.table("model");
    if (fields == nullptr) outer.fail("model", "the table is missing");
    StrictTable table(*fields, "[model]", entry.origin);
    ModelSpec model;
    readModelFields(table, entry.origin, model);
    model.name = entry.stem;
    if (!table.text("source")) table.fail("source", "is missing; a fact without a source is refused");
    static_cast<void>(table.number("parameters_billion", 0.0, 1e6));
    table.finish();
    outer.finish();
    return model;
}

RuntimeSpec Catalog::framework(std::string_view name, std::string_view gpu) const {
    const CatalogFile entry = find(catalogFiles("frameworks", directory_), "framework", name);
    const toml::table root = parse(entry);
    StrictTable outer(root, "the file", entry.origin);
    const toml::table* fields = outer.table("framework");
    if (fields == nullptr) outer.fail("framework", "the table is missing");
    StrictTable table(*fields, "[framework]", entry.origin);
    if (!table.text("source")) table.fail("source", "is missing; a figure without its evidence is refused");
    RuntimeSpec anywhere;
    std::optional<RuntimeSpec> exact;
    const auto* on = table.array("on");
    for (std::size_t i = 0; on != nullptr && i < on->size(); ++i) {
        const toml::node& node = (*on)[i];
        if (!node.is_table()) table.failAt(node, "on: write [[framework.on]] tables");
        StrictTable figures(*node.as_table(), "[[framework.on]]", entry.origin);
        RuntimeSpec runtime;
        const auto* gpus = figures.array("gpus");
        readRuntimeFields(figures, runtime);
        figures.finish();
        if (gpus == nullptr) anywhere = runtime;
        for (std::size_t g = 0; gpus != nullptr && g < gpus->size(); ++g) {
            const auto* text = (*gpus)[g].as_string();
            if (text == nullptr) figures.failAt((*gpus)[g], "gpus: give names of GPUs");
            if (plain(text->get()) == plain(alias(gpu))) exact = runtime;
        }
    }
    table.finish();
    outer.finish();
    RuntimeSpec runtime = exact.value_or(anywhere);
    runtime.name = entry.stem;
    validate(runtime);
    return runtime;
}

std::vector<std::string> Catalog::gpuNames() const {
    std::vector<std::string> names;
    for (const CatalogGpu& gpu : readGpus(directory_)) names.push_back(gpu.spec.name);
    return names;
}

std::vector<std::string> Catalog::clusterNames() const {
    return stems(catalogFiles("clusters", directory_));
}

std::vector<std::string> Catalog::modelNames() const {
    return stems(catalogFiles("models", directory_));
}

std::vector<std::string> Catalog::frameworkNames() const {
    return stems(catalogFiles("frameworks", directory_));
}

std::optional<ClusterPreset> Catalog::usualCluster(std::string_view gpu) const {
    for (const CatalogFile& file : catalogFiles("clusters", directory_)) {
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
