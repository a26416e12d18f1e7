// Finds and opens libcupti in this process.
#pragma once

#include <string>

#include "profiler/cupti/abi.hpp"

namespace orrery::cupti {

struct Library {
    Functions functions;
    std::uint32_t version = 0;
    std::string path;   ///< what was opened
    std::string error;  ///< one line; empty: usable
    [[nodiscard]] explicit operator bool() const { return error.empty(); }
};

/// Opens the file `path` when it is given, else one that the process has already loaded, then those of CUDA_HOME and
/// CUDA_PATH, then what the loader finds, then /usr/local/cuda. Never closed. An `error` says what was tried.
[[nodiscard]] Library openLibrary(const std::string& path);

/// Why a call failed, in words of ours where we know the mend: "no NVIDIA driver (CUPTI error 999)".
[[nodiscard]] std::string describe(Result result, const Functions& functions);

}  // namespace orrery::cupti
