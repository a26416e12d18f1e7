// Runs a program of the build as a user would and captures what it says.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <catch2/catch.hpp>
#include <sys/wait.h>

namespace orrery::test {

struct ProgramRun {
    int exitCode = -1;   ///< 128 + signal when killed
    std::string output;  ///< stdout and stderr together
};

/// `command` goes through the shell; name programs by ORRERY_BIN_DIR.
inline ProgramRun runProgram(const std::string& command) {
    ProgramRun run;
    std::FILE* pipe = popen(("{ " + command + " ; } 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        run.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

}  // namespace orrery::test
