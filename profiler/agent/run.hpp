// "orrery-agent run": environment, child process, summary.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/inject/capture_settings.hpp"

namespace orrery::agent {

struct RunOptions {
    std::filesystem::path output = "orrery-profile";
    int drainMilliseconds = 50;
    int ringKib = 8192;
    std::string gpu = "copies,launches,sync";  ///< beside kernels; "none": ranges only
    std::string cupti;                         ///< path of libcupti; empty: look for it
    std::string onConflict = "stand-down";
    bool ncclPlugin = false;  ///< load NCCL's profiler interface, too
    inject::CaptureSettings capture;
    bool replace = false;
    bool dryRun = false;
    bool summary = true;  ///< say what was recorded
    std::vector<std::string> command;
};

/// Runs the command under the injection library and returns its exit code (128 + signal when it died of one).
/// Throws InputError: library not found, output not writable, another injection library set, command not found.
int run(const RunOptions& options);

/// liborrery_inject.so beside this program or in the usual places relative to it. Throws InputError when absent.
std::filesystem::path injectionLibrary();

}  // namespace orrery::agent
