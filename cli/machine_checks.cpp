#include "cli/machine_checks.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/shared_library.hpp"
#include "data/catalog/catalog.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// First of `names` that is an executable file in $PATH; empty when none is.
std::string inPath(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        std::istringstream folders(environment("PATH"));
        for (std::string folder; std::getline(folders, folder, ':');) {
            const fs::path file = fs::path(folder) / name;
            std::error_code failed;
            if (fs::is_regular_file(file, failed) && access(file.c_str(), X_OK) == 0) return file.string();
        }
    }
    return {};
}

MachineCheck program(std::string name, std::initializer_list<const char*> names, std::string what, std::string mend) {
    const std::string found = inPath(names);
    return {std::move(name), !found.empty(), found, std::move(what), std::move(mend)};
}

/// A file that is installed with this program: in the same folder, or in lib/ beside bin/.
MachineCheck companion(std::string name, const char* folder, const std::string& file, std::string what,
                       std::string mend) {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    const fs::path place = (self.parent_path() / folder / file).lexically_normal();
    const bool there = !failed && fs::is_regular_file(place, failed);
    return {std::move(name), there, there ? place.string() : "", std::move(what), std::move(mend)};
}

MachineCheck checkCpu() {
    std::ifstream in("/proc/cpuinfo");
    std::string model = "unknown model";
    std::string vectors;
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        if (line.rfind("model name", 0) == 0) model = line.substr(colon + 2);
        if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0) continue;
        for (const char* extension : {"avx512f", "avx2", "sve", "asimd"}) {
            if ((line + " ").find(fmt::format(" {} ", extension)) == std::string::npos) continue;
            vectors = fmt::format(", {}", extension);
            break;
        }
        break;
    }
    return {"cpu", true, fmt::format("{}, {} threads{}", model, std::thread::hardware_concurrency(), vectors),
            "runs orrery-workload", ""};
}

/// GPUs through NVML (NVML API reference: nvmlInit_v2, nvmlDeviceGetCount_v2, nvmlDeviceGetName; 0 is success).
MachineCheck checkNvidia() {
    MachineCheck check{"nvidia_gpus", false, "", "recording of GPU jobs",
                       "install the NVIDIA driver; in a container pass the GPUs in (docker run --gpus all)"};
    const SharedLibrary nvml({"libnvidia-ml.so.1"});
    if (!nvml.open()) return check;
    auto* const init = nvml.function<int()>("nvmlInit_v2");
    auto* const count = nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2");
    auto* const handle = nvml.function<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    auto* const name = nvml.function<int(void*, char*, unsigned)>("nvmlDeviceGetName");
    unsigned gpus = 0;
    if (init == nullptr || count == nullptr || init() != 0 || count(&gpus) != 0) {
        check.mend = "NVML is there but the driver does not answer; is its kernel module loaded (nvidia-smi)?";
        return check;
    }
    check.usable = gpus > 0;
    check.found = fmt::format("{}", gpus);
    void* first = nullptr;
    std::array<char, 96> text{};
    if (gpus > 0 && handle != nullptr && name != nullptr && handle(0, &first) == 0 &&
        name(first, text.data(), static_cast<unsigned>(text.size())) == 0) {
        check.found += fmt::format(" x {}", text.data());
    }
    return check;
}

/// CUPTI in the loader's path, or where the CUDA toolkit puts it.
MachineCheck checkCupti() {
    std::vector<std::string> names{"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.2", "libcupti.so"};
    for (const std::string& toolkit : {environment("CUDA_HOME"), std::string("/usr/local/cuda")}) {
        if (toolkit.empty()) continue;
        names.push_back(toolkit + "/extras/CUPTI/lib64/libcupti.so");
        names.push_back(toolkit + "/lib64/libcupti.so");
    }
    const SharedLibrary cupti(names);
    MachineCheck check{"cupti", cupti.open(), "", "recording of kernels and copies on NVIDIA GPUs",
                       "install the CUDA toolkit (package cuda-cupti) or set CUDA_HOME"};
    if (!cupti.open()) return check;
    std::uint32_t version = 0;  // CUPTI API reference, cuptiGetVersion: the API's number, not the toolkit's
    auto* const getVersion = cupti.function<int(std::uint32_t*)>("cuptiGetVersion");
    const bool known = getVersion != nullptr && getVersion(&version) == 0;
    check.found = known ? fmt::format("{}, API {}", cupti.name(), version) : cupti.name();
    return check;
}

MachineCheck checkNccl() {
    const SharedLibrary nccl({"libnccl.so.2", "libnccl.so"});
    MachineCheck check{"nccl", nccl.open(), "", "collectives of GPU jobs",
                       "install libnccl2, or put the one of PyTorch's wheels in LD_LIBRARY_PATH"};
    if (!nccl.open()) return check;
    int version = 0;  // nccl.h: major * 10000 + minor * 100 + patch since 2.9
    auto* const getVersion = nccl.function<int(int*)>("ncclGetVersion");
    check.found = nccl.name();
    if (getVersion != nullptr && getVersion(&version) == 0) {
        check.found += fmt::format(", {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    }
    return check;
}

MachineCheck checkCatalog() {
    const Catalog catalog;
    std::string found = fmt::format("{} GPUs, {} clusters, {} models", catalog.gpuNames().size(),
                                    catalog.clusterNames().size(), catalog.modelNames().size());
    if (!catalogDirectory().empty()) found += fmt::format(", with those of {}", catalogDirectory().string());
    return {"catalog", true, found, "presets of scenarios", ""};
}

}  // namespace

std::vector<MachineCheck> checkMachine() {
    const std::string build = "build it: cmake --build --preset release";
    return {
        checkCpu(),
        checkCatalog(),
        companion("agent", ".", "orrery-agent", "records jobs", build),
        companion("nvtx_injection", "../lib", "liborrery_inject.so", "recording of NVTX ranges", build),
        companion("workload", ".", "orrery-workload", "a real training job on the CPU", build),
        program("mpi", {"mpirun", "mpiexec"}, "orrery-workload on several processes", "apt-get install openmpi-bin"),
        checkNvidia(),
        checkCupti(),
        checkNccl(),
        companion("gui", ".", "orrery-gui", "the desktop app",
                  "not built here; 'orrery report' writes the same views as HTML"),
        program("chromium", {"chromium", "chromium-browser", "google-chrome"}, "tests of HTML reports",
                "apt-get install chromium"),
        program("compiler", {"c++", "g++", "clang++"}, "building Orrery", "apt-get install g++ cmake ninja-build"),
    };
}

}  // namespace orrery::cli
