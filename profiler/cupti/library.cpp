#include "profiler/cupti/library.hpp"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace orrery::cupti {
namespace {

/// CUDA 11.2: the first of the layouts that we read.
constexpr std::uint32_t kOldestVersion = 15;
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"};

/// Folders of a toolkit that hold libcupti.
void addToolkit(std::vector<std::string>& files, const char* root) {
    if (root == nullptr || *root == '\0') return;
    for (const char* folder : {"/extras/CUPTI/lib64", "/lib64", "/targets/x86_64-linux/lib", "/lib"}) {
        for (const char* name : kNames) files.push_back(fmt::format("{}{}/{}", root, folder, name));
    }
}

void* openFirst(const std::vector<std::string>& files, int flags, std::string& opened) {
    for (const auto& file : files) {
        if (void* handle = ::dlopen(file.c_str(), flags); handle != nullptr) {
            opened = file;
            return handle;
        }
    }
    return nullptr;
}

void* open(const std::string& path, std::string& opened) {
    if (!path.empty()) return openFirst({path}, RTLD_NOW | RTLD_LOCAL, opened);
    const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    // A framework may bring its own: two CUPTIs in one process disturb each other.
    if (void* handle = openFirst(names, RTLD_NOW | RTLD_NOLOAD, opened)) return handle;
    std::vector<std::string> files;
    addToolkit(files, std::getenv("CUDA_HOME"));
    addToolkit(files, std::getenv("CUDA_PATH"));
    files.insert(files.end(), names.begin(), names.end());
    addToolkit(files, "/usr/local/cuda");
    return openFirst(files, RTLD_NOW | RTLD_LOCAL, opened);
}

class Symbols {
  public:
    explicit Symbols(void* handle) : handle_(handle) {}
    template <typename Function>
    void required(Function*& function, const char* name) {
        optional(function, name);
        if (function == nullptr && missing_.empty()) missing_ = name;
    }
    template <typename Function>
    void optional(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    }
    [[nodiscard]] const std::string& missing() const { return missing_; }

  private:
    void* handle_;
    std::string missing_;
};

}  // namespace

Library openLibrary(const std::string& path) {
    Library library;
    void* handle = open(path, library.path);
    if (handle == nullptr) {
        library.error = path.empty()
                            ? "no libcupti found (CUDA_HOME, the loader, /usr/local/cuda); name it with --cupti"
                            : fmt::format("{} cannot be opened", path);
        return library;
    }
    Symbols symbols(handle);
    Functions& f = library.functions;
    symbols.required(f.getVersion, "cuptiGetVersion");
    symbols.required(f.getTimestamp, "cuptiGetTimestamp");
    symbols.required(f.getResultString, "cuptiGetResultString");
    symbols.required(f.subscribe, "cuptiSubscribe");
    symbols.required(f.registerCallbacks, "cuptiActivityRegisterCallbacks");
    symbols.required(f.enable, "cuptiActivityEnable");
    symbols.required(f.disable, "cuptiActivityDisable");
    symbols.required(f.flushAll, "cuptiActivityFlushAll");
    symbols.required(f.nextRecord, "cuptiActivityGetNextRecord");
    symbols.required(f.droppedRecords, "cuptiActivityGetNumDroppedRecords");
    symbols.optional(f.subscribeNamed, "cuptiSubscribe_v2");
    symbols.optional(f.unsubscribe, "cuptiUnsubscribe");
    symbols.optional(f.setThreadIdType, "cuptiSetThreadIdType");
    symbols.optional(f.enableRuntimeApi, "cuptiActivityEnableRuntimeApi");
    symbols.optional(f.enableDriverApi, "cuptiActivityEnableDriverApi");
    symbols.optional(f.enableEventTimestamps, "cuptiActivityEnableCudaEventDeviceTimestamps");
    if (!symbols.missing().empty()) {
        library.error = fmt::format("{} has no {}: not a CUPTI that can be used", library.path, symbols.missing());
    } else if (const Result got = f.getVersion(&library.version); got != kSuccess) {
        library.error = fmt::format("{}: {}", library.path, describe(got, f));
    } else if (library.version < kOldestVersion) {
        library.error = fmt::format("{} has API version {}, {} (CUDA 11.2) is the oldest that is read", library.path,
                                    library.version, kOldestVersion);
    }
    return library;
}

std::string describe(Result result, const Functions& functions) {
    switch (result) {
        case kErrorUnknown:
            return "no NVIDIA driver or no GPU (CUPTI error 999)";
        case kErrorMultipleSubscribers:
            return "another profiler has CUPTI already (CUPTI error 39)";
        case kErrorVirtualizedDevice:
        case kErrorVirtualizedPrivileges:
            return fmt::format("profiling is switched off for this virtual GPU (CUPTI error {})", result);
        case kErrorInsufficientPrivileges:
            return "not permitted to profile (CUPTI error 35)";
        case kErrorConfidentialComputing:
            return "the GPU is in confidential-computing mode (CUPTI error 41)";
        default:
            break;
    }
    const char* text = nullptr;
    if (functions.getResultString != nullptr) functions.getResultString(result, &text);
    return fmt::format("{} (CUPTI error {})", text != nullptr ? text : "unknown error", result);
}

}  // namespace orrery::cupti
