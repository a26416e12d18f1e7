#include "profiler/inject/settings.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "model/units/input_error.hpp"

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

/// Of this process, in clock ticks since boot: field 22 of /proc/self/stat (proc(5)).
std::string startTime() {
    std::ifstream stat("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
    const auto bracket = text.rfind(')');  // the command name before it may hold spaces and brackets itself
    if (bracket == std::string::npos) return "0";
    std::istringstream fields(text.substr(bracket + 1));
    std::string field;
    for (int number = 3; number <= 22; ++number) fields >> field;
    return field.empty() ? "0" : field;
}

GpuSettings gpuFromEnvironment() {
    GpuSettings gpu;
    if (const char* kinds = std::getenv(kGpuVariable); kinds != nullptr) {
        if (const auto parsed = parseGpuKinds(kinds)) gpu = *parsed;
    }
    if (const char* library = std::getenv(kCuptiVariable); library != nullptr) gpu.library = library;
    if (const char* conflict = std::getenv(kGpuConflictVariable); conflict != nullptr) {
        gpu.refuseOnConflict = std::string_view(conflict) == "refuse";
    }
    if (const auto ms = number(kGpuFlushVariable); ms && *ms >= 1 && *ms <= 60'000) gpu.flushMilliseconds = *ms;
    if (const auto count = number(kCuptiBuffersVariable); count && *count >= 1 && *count <= 64) {
        gpu.buffers = static_cast<std::size_t>(*count);
    }
    if (const auto kib = number(kCuptiBufferVariable); kib && *kib >= 4 && *kib <= 16384) {
        gpu.bufferBytes = static_cast<std::size_t>(*kib) << 10U;
    }
    return gpu;
}

}  // namespace

std::optional<GpuSettings> parseGpuKinds(std::string_view text) {
    GpuSettings gpu;
    if (text == "none") {
        gpu.enabled = false;
        return gpu;
    }
    gpu.copies = gpu.launches = gpu.synchronization = false;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view word = text.substr(0, comma);
        if (word == "copies") {
            gpu.copies = true;
        } else if (word == "launches") {
            gpu.launches = true;
        } else if (word == "sync") {
            gpu.synchronization = true;
        } else if (word != "kernels") {
            return std::nullopt;
        }
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return gpu;
}

Settings settingsFromEnvironment() {
    Settings settings;
    if (const char* directory = std::getenv(kOutputVariable); directory != nullptr && *directory != '\0') {
        settings.directory = directory;
    }
    if (const auto ms = number(kDrainVariable); ms && *ms >= 1 && *ms <= 60'000) settings.drainMilliseconds = *ms;
    if (const auto kib = number(kRingVariable); kib && *kib >= 16 && *kib <= (1 << 20)) {
        settings.ringBytes = std::bit_ceil(static_cast<std::size_t>(*kib) << 10U);
    }
    if (const char* session = std::getenv(kSessionVariable); session != nullptr) settings.session = session;
    settings.rank = firstOf(std::array{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "RANK", "SLURM_PROCID"});
    settings.worldSize = firstOf(std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "SLURM_NTASKS"});
    settings.gpu = gpuFromEnvironment();
    if (const char* capture = std::getenv(kCaptureVariable); capture != nullptr) {
        settings.capture = captureFromText(capture);
    }
    return settings;
}

std::string hostName() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

std::filesystem::path claimProfileFile(const std::filesystem::path& folder, int part) {
    const std::string stem = fmt::format("{}-{}-{}{}", hostName(), ::getpid(), startTime(),
                                         part > 1 ? fmt::format("-p{}", part) : std::string());
    for (int attempt = 1;; ++attempt) {
        const std::filesystem::path file =
            folder / (attempt == 1 ? stem + ".db" : fmt::format("{}-{}.db", stem, attempt));
        const int handle = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
        if (handle >= 0) {
            ::close(handle);
            return file;
        }
        if (errno != EEXIST) {
            throw InputError(fmt::format("{}: cannot be written ({}); name another folder with orrery-agent run -o",
                                         file.string(), std::strerror(errno)));
        }
    }
}

}  // namespace orrery::inject
