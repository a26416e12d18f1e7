#include "profiler/agent/run.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "model/units/input_error.hpp"
#include "profiler/agent/capture_options.hpp"
#include "profiler/agent/child_process.hpp"
#include "profiler/agent/summary.hpp"
#include "profiler/inject/settings.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::agent {
namespace {

void prepareOutput(const std::filesystem::path& output) {
    std::error_code failed;
    std::filesystem::create_directories(output, failed);
    if (!failed && ::access(output.c_str(), W_OK | X_OK) == 0) return;
    throw InputError(fmt::format("{}: cannot be written ({}); name another folder with -o", output.string(),
                                 failed ? failed.message() : std::string(std::strerror(errno))));
}

void checkOtherInjection(const char* variable, const char* what, const std::filesystem::path& library, bool replace) {
    const char* other = std::getenv(variable);
    if (other == nullptr || *other == '\0' || library == other || replace) return;
    throw InputError(fmt::format("{} is already set to {}; only one tool can record {}: unset it or pass --replace",
                                 variable, other, what));
}

using Environment = std::vector<std::pair<const char*, std::string>>;

Environment environmentOf(const RunOptions& options, const std::filesystem::path& library,
                          const std::filesystem::path& output, const std::string& session) {
    Environment environment{
        {nvtx::abi::kInjectionVariable, library.string()},
        {inject::kOutputVariable, output.string()},
        {inject::kDrainVariable, std::to_string(options.drainMilliseconds)},
        {inject::kRingVariable, std::to_string(options.ringKib)},
        {inject::kSessionVariable, session},
        {inject::kGpuVariable, options.gpu},
    };
    // Always set: what an outer agent asked for does not hold here.
    environment.emplace_back(inject::kCaptureVariable, inject::captureToText(options.capture));
    if (options.ncclPlugin) environment.emplace_back(inject::kNcclPluginVariable, library.string());
    if (options.gpu == "none") return environment;
    environment.emplace_back(inject::kCudaInjectionVariable, library.string());
    environment.emplace_back(inject::kGpuConflictVariable, options.onConflict);
    if (!options.cupti.empty()) environment.emplace_back(inject::kCuptiVariable, options.cupti);
    return environment;
}

std::string describeGpu(const std::string& kinds) {
    if (kinds == "none") return "nothing of GPUs";
    return fmt::format("GPU kernels and their names{}{}{}", kinds.find("copies") != std::string::npos ? ", copies" : "",
                       kinds.find("launches") != std::string::npos ? ", launch and wait calls" : "",
                       kinds.find("sync") != std::string::npos ? ", synchronisation and CUDA events" : "");
}

/// Marks the profiles of this run, so that those of other runs and of other nodes in the folder are not counted.
std::string newSession() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("{}-{}-{}", inject::hostName(), ::getpid(),
                       std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

std::filesystem::path injectionLibrary() {
    const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const auto& candidate : {bin / "../lib/liborrery_inject.so", bin / "liborrery_inject.so"}) {
        if (std::filesystem::exists(candidate)) return std::filesystem::canonical(candidate);
    }
    throw InputError(fmt::format("liborrery_inject.so is neither in {} nor in {}; install it there",
                                 (bin / "../lib").lexically_normal().string(), bin.string()));
}

int run(const RunOptions& options) {
    const std::filesystem::path library = injectionLibrary();
    if (!inject::parseGpuKinds(options.gpu)) {
        throw InputError(
            fmt::format("--gpu {}: knows none, kernels, copies, launches and sync, separated by commas", options.gpu));
    }
    checkOtherInjection(nvtx::abi::kInjectionVariable, "NVTX", library, options.replace);
    if (options.ncclPlugin) checkOtherInjection(inject::kNcclPluginVariable, "NCCL", library, options.replace);
    if (options.gpu != "none") checkOtherInjection(inject::kCudaInjectionVariable, "CUDA", library, options.replace);
    const std::filesystem::path output = std::filesystem::absolute(options.output).lexically_normal();
    const std::string session = newSession();
    const Environment environment = environmentOf(options, library, output, session);
    if (options.dryRun) {
        for (const auto& [variable, value] : environment) fmt::print("{}={}\n", variable, value);
        fmt::print("run: {}\n", fmt::join(options.command, " "));
        fmt::print(
            "records: names, times, nesting and payloads of NVTX ranges and marks; {}; nothing else of the job\n",
            describeGpu(options.gpu));
        for (const auto& line : describeCapture(options.capture)) fmt::print("{}\n", line);
        return 0;
    }
    prepareOutput(output);
    for (const auto& [variable, value] : environment) ::setenv(variable, value.c_str(), 1);
    const int code = runAndWait(options.command);
    if (options.summary) printSummary(output, session);
    return code;
}

}  // namespace orrery::agent
