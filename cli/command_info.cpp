// orrery info: what is in a profile or a trace, per rank and device.
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/temporary_profile.hpp"
#include "cli/warnings.hpp"
#include "data/summary/profile_facts.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

double rounded(double value, double digits) {
    return std::round(value * digits) / digits;
}

Json toJson(const DeviceFacts& device) {
    return {{"device", device.device},
            {"name", device.name},
            {"kernels", device.kernels},
            {"streams", device.streams},
            {"span_ns", device.span},
            {"sum_ns", device.sum},
            {"busy_ns", device.busy},
            {"idle_pct", rounded(device.idlePercent(), 1000.0)},
            {"comm_kernels", device.commKernels},
            {"comm_busy_ns", device.commBusy},
            {"exposed_comm_ns", device.exposedComm},
            {"collectives", device.collectives.empty() ? Json::object() : Json(device.collectives)}};
}

Json toJson(const RankFacts& rank) {
    Json devices = Json::array();
    for (const auto& device : rank.devices) devices.push_back(toJson(device));
    return {{"file", rank.rank.file},
            {"source", rank.rank.source},
            {"rank", orNull(rank.rank.rank)},
            {"world_size", orNull(rank.rank.worldSize)},
            {"base_time_ns", orNull(rank.rank.baseTime)},
            {"steps", rank.steps},
            {"ranges", rank.ranges},
            {"memcpy_bytes", rank.memcpyBytes},
            {"devices", devices},
            {"range_collectives", rank.rangeCollectives.empty() ? Json::object() : Json(rank.rangeCollectives)},
            {"clock_uncertainty_ns", orNull(rank.rank.clockUncertainty)},
            {"clock", rank.clock.empty() ? Json(nullptr) : Json(rank.clock)},
            {"recording", rank.recording.empty() ? Json::object() : Json(rank.recording)},
            {"losses", rank.losses.empty() ? Json::object() : Json(rank.losses)}};
}

std::string milliseconds(std::int64_t ns) {
    return fmt::format("{:.3f}", static_cast<double>(ns) * 1e-6);
}

std::string counts(const std::map<std::string, std::int64_t>& entries) {
    std::string text;
    for (const auto& [kind, count] : entries) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
    return text;
}

void print(const RankFacts& rank) {
    fmt::print("{}  ({}", rank.rank.file, rank.rank.source);
    if (rank.rank.rank) fmt::print(", rank {}", *rank.rank.rank);
    if (rank.rank.worldSize) fmt::print(" of {}", *rank.rank.worldSize);
    fmt::print(")\n  {} steps, {} ranges", rank.steps, rank.ranges);
    if (rank.memcpyBytes > 0) fmt::print(", {:.3f} GB copied", static_cast<double>(rank.memcpyBytes) * 1e-9);
    fmt::print("\n");
    for (const auto& device : rank.devices) {
        fmt::print("  device {} {}\n", device.device, device.name);
        fmt::print("    {:<22}{:>14}\n", "kernels", device.kernels);
        fmt::print("    {:<22}{:>14}\n", "streams", device.streams);
        fmt::print("    {:<22}{:>14}\n", "span ms", milliseconds(device.span));
        fmt::print("    {:<22}{:>14}   idle {:.1f} %\n", "busy ms", milliseconds(device.busy), device.idlePercent());
        if (device.commKernels == 0) {
            fmt::print("    no communication kernels\n");
        } else {
            fmt::print("    {:<22}{:>14}   exposed {} ms\n", "communication ms", milliseconds(device.commBusy),
                       milliseconds(device.exposedComm));
            fmt::print("    {:<22}{}\n", "collectives", counts(device.collectives));
        }
    }
    if (!rank.rangeCollectives.empty()) fmt::print("  communication: {}\n", counts(rank.rangeCollectives));
    if (rank.rank.clockUncertainty) {
        fmt::print("  clock: {}, within {:.3f} us\n", rank.clock.empty() ? "aligned to unix time" : rank.clock,
                   static_cast<double>(*rank.rank.clockUncertainty) * 1e-3);
    }
    for (const auto& [key, value] : rank.recording) fmt::print("  {}: {}\n", key, value);
    for (const auto& [kind, count] : rank.losses) {
        if (count > 0) fmt::print("  LOST: {} {}\n", count, kind);
    }
}

void run(const std::vector<std::filesystem::path>& paths, bool json) {
    const TemporaryProfile source(paths, terminalProgress());
    printWarnings(source.summary());
    const Profile profile(source.file());
    const auto facts = profileFacts(profile);
    const std::int64_t measurements = profile.count("measurements");
    if (json) {
        Json profiles = Json::array();
        for (const auto& rank : facts) profiles.push_back(toJson(rank));
        Json out{{"profiles", profiles}};
        if (measurements > 0) out["measurements"] = measurements;
        fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
        return;
    }
    for (const auto& rank : facts) print(rank);
    if (measurements > 0) fmt::print("{} rows of benchmark sweeps\n", measurements);
}

}  // namespace

void addInfo(CLI::App& app) {
    struct Options {
        std::vector<std::filesystem::path> paths;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("info", "what is in a profile or a trace, per rank and device");
    command->add_option("paths", options->paths, "a profile, or traces of any known format")->required();
    command->add_flag("--json", options->json, "machine-readable (docs/cli.md)");
    command->callback([options] { run(options->paths, options->json); });
}

}  // namespace orrery::cli
