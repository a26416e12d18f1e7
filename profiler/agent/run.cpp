#include "profiler/agent/run.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/units/input_error.hpp"
#include "profiler/agent/summary.hpp"
#include "profiler/inject/settings.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::agent {
namespace {

volatile sig_atomic_t childPid = 0;

void forwardSignal(int signal) {
    if (childPid > 0) ::kill(static_cast<pid_t>(childPid), signal);
}

/// The terminal's own Ctrl-C reaches the child too; what is sent to the agent alone is passed on.
void forwardSignals() {
    struct sigaction action {};
    action.sa_handler = forwardSignal;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT}) sigaction(signal, &action, nullptr);
}

void prepareOutput(const std::filesystem::path& output) {
    std::error_code failed;
    std::filesystem::create_directories(output, failed);
    if (failed || ::access(output.c_str(), W_OK | X_OK) != 0) {
        throw InputError(fmt::format("{}: cannot be written ({}); name another folder with -o", output.string(),
                                     failed ? failed.message() : std::string(std::strerror(errno))));
    }
}

void checkOtherInjection(const std::filesystem::path& library, bool replace) {
    const char* other = std::getenv(nvtx::abi::kInjectionVariable);
    if (other == nullptr || *other == '\0' || library == other || replace) return;
    throw InputError(fmt::format("{} is already set to {}; only one tool can record NVTX: unset it or pass --replace",
                                 nvtx::abi::kInjectionVariable, other));
}

/// Starts the command; a pipe that closes on exec tells whether exec itself failed.
pid_t start(const std::vector<std::string>& command) {
    std::array<int, 2> report{};
    if (::pipe2(report.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        std::vector<char*> arguments;
        for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
        arguments.push_back(nullptr);
        ::execvp(arguments[0], arguments.data());
        const int error = errno;
        [[maybe_unused]] const auto written = ::write(report[1], &error, sizeof(error));
        ::_exit(127);
    }
    ::close(report[1]);
    int error = 0;
    const auto got = ::read(report[0], &error, sizeof(error));
    ::close(report[0]);
    if (got == sizeof(error)) {
        ::waitpid(child, nullptr, 0);
        throw InputError(fmt::format("cannot run '{}': {}", command[0], std::strerror(error)));
    }
    return child;
}

int waitFor(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::filesystem::path injectionLibrary() {
    const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    for (const auto& candidate : {bin / "../lib/liborrery_inject.so", bin / "liborrery_inject.so"}) {
        if (std::filesystem::exists(candidate)) return std::filesystem::canonical(candidate);
    }
    throw InputError(
        fmt::format("liborrery_inject.so is neither in {} nor beside it; install both or build orrery_inject",
                    (bin / "../lib").lexically_normal().string()));
}

int run(const RunOptions& options) {
    const std::filesystem::path library = injectionLibrary();
    checkOtherInjection(library, options.replace);
    const std::filesystem::path output = std::filesystem::absolute(options.output);
    const std::array<std::pair<const char*, std::string>, 4> environment{{
        {nvtx::abi::kInjectionVariable, library.string()},
        {inject::kOutputVariable, output.string()},
        {inject::kDrainVariable, std::to_string(options.drainMilliseconds)},
        {inject::kRingVariable, std::to_string(options.ringKib)},
    }};
    if (options.dryRun) {
        for (const auto& [variable, value] : environment) fmt::print("{}={}\n", variable, value);
        fmt::print(
            "run: {}\nrecords: names, times, nesting and payloads of NVTX ranges and marks, nothing else of the job\n",
            fmt::join(options.command, " "));
        return 0;
    }
    prepareOutput(output);
    const auto before = profilesIn(output);
    for (const auto& [variable, value] : environment) ::setenv(variable, value.c_str(), 1);

    const pid_t child = start(options.command);
    childPid = child;
    forwardSignals();
    const int code = waitFor(child);
    printSummary(output, before);
    return code;
}

}  // namespace orrery::agent
