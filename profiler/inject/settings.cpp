#include "profiler/inject/settings.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

namespace orrery::inject {
namespace {

std::optional<std::int64_t> number(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    std::int64_t value = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc{} || stop != end || value < 0) return std::nullopt;
    return value;
}

/// The first that is set: launchers differ in what they call a rank.
template <std::size_t N>
std::optional<std::int64_t> firstOf(const std::array<const char*, N>& variables) {
    for (const char* variable : variables) {
        if (const auto value = number(variable)) return value;
    }
    return std::nullopt;
}

}  // namespace

Settings settingsFromEnvironment() {
    Settings settings;
    if (const char* directory = std::getenv(kOutputVariable); directory != nullptr && *directory != '\0') {
        settings.directory = directory;
    }
    if (const auto ms = number(kDrainVariable); ms && *ms >= 1 && *ms <= 60'000) settings.drainMilliseconds = *ms;
    if (const auto kib = number(kRingVariable); kib && *kib >= 16 && *kib <= (1 << 20)) {
        settings.ringBytes = std::bit_ceil(static_cast<std::size_t>(*kib) << 10U);
    }
    settings.rank = firstOf(std::array{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "RANK", "SLURM_PROCID"});
    settings.worldSize = firstOf(std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "SLURM_NTASKS"});
    return settings;
}

std::string hostName() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::string profileFileName() {
    // Field 22 of /proc/self/stat counts from the last ')': the command name may hold spaces and brackets itself.
    std::ifstream stat("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
    std::string start = "0";
    if (const auto bracket = text.rfind(')'); bracket != std::string::npos) {
        std::size_t at = bracket + 2;
        for (int field = 3; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at) + 1;
        if (at != std::string::npos) start = text.substr(at, text.find(' ', at) - at);
    }
    return fmt::format("{}-{}-{}.db", hostName(), ::getpid(), start);
}

}  // namespace orrery::inject
