// orrery calibrate: samples in, a calibration out, and a table that says how well each law holds.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/calibration_sources.hpp"
#include "cli/commands.hpp"
#include "cli/gpu_lookup.hpp"
#include "data/calibration/calibration_file.hpp"
#include "data/published/kernels_csv.hpp"
#include "model/calibrate/holdout.hpp"
#include "model/units/input_error.hpp"

namespace orrery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::vector<std::filesystem::path> files;
    std::filesystem::path output;
    SampleOptions samples;
    bool json = false, holdout = false;
    std::uint64_t seed = 1;
};

std::string parametersOf(const KernelLaw& law) {
    std::string text;
    const bool matrix = law.cls == OpClass::gemm || law.cls == OpClass::groupedGemm;
    if (matrix || law.cls == OpClass::attention) text += fmt::format("compute {:.3f} of peak, ", law.computeEfficiency);
    if (law.halfTile > 0.0) {
        text +=
            fmt::format("sustained {:.2f} beyond {:.1f} TFLOP, half tile {:.1f}, wave {:.2f} us, wave share {:.2f}, ",
                        law.sustainedShare, law.burstWork.value() * 1e-12, law.halfTile, law.waveOverhead.value() * 1e6,
                        law.waveShare);
    } else if (matrix) {
        text += fmt::format("half k {:.0f}, half mn {:.0f}, ", law.halfK, law.halfMN);
    } else if (law.cls == OpClass::attention) {
        text += fmt::format("half keys {:.0f}, half head {:.0f}, ", law.halfMN, law.halfK);
    }
    return text + fmt::format("memory {:.3f} of peak, overhead {:.2f} us", law.bandwidthEfficiency,
                              law.overhead.value() * 1e6);
}

std::string familyOf(const KernelLaw& law) {
    return fmt::format("{} {} {}{}{}", name(law.cls), name(law.pass), name(law.dtype), law.opName.empty() ? "" : " ",
                       law.opName);
}

void printTable(const Calibration& calibration) {
    fmt::print("{:<14} {:<62} {:>7} {:>9} {:>9}  {}\n", "device", "class", "samples", "law rms", "near rms",
               "parameters");
    for (const DeviceCalibration& device : calibration.devices) {
        for (const KernelLaw& law : device.laws) {
            fmt::print("{:<14} {:<62} {:>7} {:>8.1f}% {:>8.1f}%  {}\n", device.device, familyOf(law), law.samples,
                       100.0 * law.residual, 100.0 * law.interpolationError, parametersOf(law));
        }
        if (device.gapPerTask.value() + device.gapPerOperator.value() > 0.0) {
            fmt::print("{:<14} {:<62} {:>7} {:>9} {:>9}  {:.1f} us a task + {:.2f} us an operator\n", device.device,
                       "host gap", "", "", "", device.gapPerTask.value() * 1e6, device.gapPerOperator.value() * 1e6);
        }
    }
    for (const CollectiveLaw& law : calibration.collectives) {
        const CollectiveRegime& large = law.regimes.back();
        fmt::print("{:<14} {:<62} {:>7} {:>8.1f}% {:>8.1f}%  {:.1f} GB/s, {:.1f} us + {:.2f} us a hop\n", law.device,
                   fmt::format("{} {}{}", name(law.kind), law.link, law.acrossNodes ? " across nodes" : ""),
                   law.samples, 100.0 * law.residual, 100.0 * law.interpolationError, large.busBandwidth.value() * 1e-9,
                   law.regimes.front().latency.value() * 1e6, law.regimes.front().hopLatency.value() * 1e6);
    }
}

Json summaryOf(const Calibration& calibration) {
    Json json;
    json["sources"] = calibration.sources;
    json["laws"] = Json::array();
    for (const DeviceCalibration& device : calibration.devices) {
        for (const KernelLaw& law : device.laws) {
            json["laws"].push_back({{"device", device.device},
                                    {"class", name(law.cls)},
                                    {"pass", name(law.pass)},
                                    {"dtype", name(law.dtype)},
                                    {"op", law.opName},
                                    {"samples", law.samples},
                                    {"residual", law.residual},
                                    {"interpolation_error", law.interpolationError},
                                    {"compute_efficiency", law.computeEfficiency},
                                    {"bandwidth_efficiency", law.bandwidthEfficiency},
                                    {"overhead_s", law.overhead.value()}});
        }
    }
    json["collectives"] = Json::array();
    for (const CollectiveLaw& law : calibration.collectives) {
        json["collectives"].push_back({{"device", law.device},
                                       {"kind", name(law.kind)},
                                       {"link", law.link},
                                       {"across_nodes", law.acrossNodes},
                                       {"samples", law.samples},
                                       {"residual", law.residual},
                                       {"interpolation_error", law.interpolationError},
                                       {"bus_bandwidth_bytes_per_s", law.regimes.back().busBandwidth.value()}});
    }
    return json;
}

void printHoldout(const std::vector<HoldoutGroup>& groups) {
    fmt::print(
        "\nhold-out: fitted on one half, errors on the other\n{:<14} {:<66} {:<18} {:>5} {:>7} {:>7} {:>7} {:>7} "
        "{:>7} {:>9}\n",
        "device", "kind", "size class", "n", "mean%", "median%", "p95%", "max%", "bias%", "distance");
    for (const HoldoutGroup& g : groups) {
        fmt::print("{:<14} {:<66} {:<18} {:>5} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>9.2f}\n", g.device,
                   g.family, g.sizeClass, g.samples, 100.0 * g.mean, 100.0 * g.median, 100.0 * g.p95, 100.0 * g.max,
                   100.0 * g.bias, g.meanDistance);
    }
}

Json holdoutJson(const std::vector<HoldoutGroup>& groups) {
    Json list = Json::array();
    for (const HoldoutGroup& g : groups) {
        list.push_back({{"device", g.device},
                        {"kind", g.family},
                        {"size_class", g.sizeClass},
                        {"n", g.samples},
                        {"mean", g.mean},
                        {"median", g.median},
                        {"p95", g.p95},
                        {"max", g.max},
                        {"bias", g.bias},
                        {"mean_distance_log2", g.meanDistance},
                        {"within_one_sigma", g.withinOneSigma}});
    }
    return list;
}

void run(const Options& options) {
    const CalibrationInput input = readCalibrationInput(options.files, options.samples);
    if (input.samples.kernels.empty() && input.samples.collectives.empty()) {
        throw InputError(
            fmt::format("{}: no operator and no collective that could be calibrated on; record an annotated "
                        "job (docs/annotations.md) or give a table of kernels",
                        options.files.front().string()));
    }
    std::vector<std::string> unknown;
    Calibration calibration = calibrate(input.samples, catalogGpus(), &unknown);
    calibration.name = options.output.stem().string();
    calibration.standIns = standInsFor(calibration);
    assumeTrainingClocks(calibration);
    writeCalibration(calibration, options.output);

    const std::vector<HoldoutGroup> groups =
        options.holdout ? holdout(input.samples, catalogGpus(), options.seed) : std::vector<HoldoutGroup>{};
    if (options.json) {
        Json json = summaryOf(calibration);
        json["skipped"] = input.skipped;
        json["unknown_devices"] = unknown;
        if (options.holdout) json["holdout"] = holdoutJson(groups);
        fmt::print("{}\n", json.dump(1));
        return;
    }
    printTable(calibration);
    for (const auto& [reason, count] : input.skipped) fmt::print("left out: {} x {}\n", count, reason);
    for (const std::string& device : unknown) fmt::print("left out: device '{}' is not in the catalog\n", device);
    if (options.holdout) printHoldout(groups);
    fmt::print("written: {}\n", options.output.string());
}

}  // namespace

void addCalibrate(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("calibrate", "Fit kernel and collective times to measurements");
    command->add_option("inputs", options->files, "profiles, tables of kernels (CSV), nccl-tests output")->required();
    command->add_option("-o,--output", options->output, "calibration to write (JSON)")->required();
    command->add_option("--warm-up", options->samples.warmUpSteps, "steps of a profile that are left out at its start")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command->add_option("--device", options->samples.device, "catalog name for annotated operators of a profile")
        ->capture_default_str();
    command->add_option("--link", options->samples.link, "name of the link that a profile's transfers use");
    command->add_flag("--holdout", options->holdout, "also fit on a random half and predict the other");
    command->add_option("--seed", options->seed, "of the hold-out split")->capture_default_str();
    command->add_flag("--json", options->json, "print a machine-readable summary");
    command->callback([options] { run(*options); });
}

}  // namespace orrery::cli
