#include "profiler/agent/run.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "model/units/input_error.hpp"
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

void checkOtherInjection(const std::filesystem::path& library, bool replace) {
    const char* other = std::getenv(nvtx::abi::kInjectionVariable);
    if (other == nullptr || *other == '\0' || library == other || replace) return;
    throw InputError(fmt::format("{} is already set to {}; only one tool can record NVTX: unset it or pass --replace",
                                 nvtx::abi::kInjectionVariable, other));
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
    checkOtherInjection(library, options.replace);
    const std::filesystem::path output = std::filesystem::absolute(options.output).lexically_normal();
    const std::string session = newSession();
    const std::array<std::pair<const char*, std::string>, 5> environment{{
        {nvtx::abi::kInjectionVariable, library.string()},
        {inject::kOutputVariable, output.string()},
        {inject::kDrainVariable, std::to_string(options.drainMilliseconds)},
        {inject::kRingVariable, std::to_string(options.ringKib)},
        {inject::kSessionVariable, session},
    }};
    if (options.dryRun) {
        for (const auto& [variable, value] : environment) fmt::print("{}={}\n", variable, value);
        fmt::print("run: {}\n", fmt::join(options.command, " "));
        fmt::print("records: names, times, nesting and payloads of NVTX ranges and marks, nothing else of the job\n");
        return 0;
    }
    prepareOutput(output);
    for (const auto& [variable, value] : environment) ::setenv(variable, value.c_str(), 1);
    const int code = runAndWait(options.command);
    printSummary(output, session);
    return code;
}

}  // namespace orrery::agent
