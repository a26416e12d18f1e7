#include "profiler/agent/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/units/input_error.hpp"

namespace orrery::agent {
namespace {

constexpr std::array kForwarded{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT, SIGCONT};
volatile sig_atomic_t childPid = 0;

/// A signal of the terminal comes from the kernel and goes to the whole foreground group, the command included: a
/// second copy would make mpirun abort instead of end. What a process sent to the agent alone is passed on.
void forwardSignal(int signal, siginfo_t* info, void*) {
    if (info != nullptr && info->si_code > 0) return;
    const int before = errno;
    if (childPid > 0) ::kill(static_cast<pid_t>(childPid), signal);
    errno = before;
}

sigset_t forwardedSet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kForwarded) sigaddset(&set, signal);
    return set;
}

[[noreturn]] void becomeCommand(const std::vector<std::string>& command, int report) {
    std::vector<char*> arguments;
    for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(report, &error, sizeof(error));
    ::_exit(127);
}

/// A pipe that closes on exec tells whether exec itself failed: 0, or its error.
int execError(int report) {
    int error = 0;
    ssize_t got = 0;
    while ((got = ::read(report, &error, sizeof(error))) < 0 && errno == EINTR) {
    }
    return got == sizeof(error) ? error : 0;
}

int waitFor(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int runAndWait(const std::vector<std::string>& command) {
    std::array<int, 2> report{};
    if (::pipe2(report.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    // Held back until there is a child to pass them to.
    const sigset_t forwarded = forwardedSet();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &forwarded, &before);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        becomeCommand(command, report[1]);
    }
    ::close(report[1]);
    childPid = child;
    struct sigaction action {};
    action.sa_sigaction = forwardSignal;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (const int signal : kForwarded) sigaction(signal, &action, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);

    const int error = execError(report[0]);
    ::close(report[0]);
    const int code = waitFor(child);
    childPid = 0;
    if (error != 0) throw InputError(fmt::format("cannot run '{}': {}", command[0], std::strerror(error)));
    return code;
}

}  // namespace orrery::agent
