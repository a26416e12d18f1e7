#include "profiler/bench/cuda_library.hpp"

#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery::bench {
namespace {

class Opened {
  public:
    Opened(const std::vector<std::string>& names, const char* mend) {
        for (const auto& name : names) {
            handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
            if (handle_ != nullptr) {
                name_ = name;
                return;
            }
        }
        throw InputError(fmt::format("{} is not here; {}", names.front(), mend));
    }
    template <typename Function>
    void find(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(::dlsym(handle_, symbol));
        if (function == nullptr)
            throw InputError(fmt::format("{} has no {}; a newer version is needed", name_, symbol));
    }

  private:
    void* handle_ = nullptr;
    std::string name_;
};

}  // namespace

Driver openDriver() {
    const Opened library({"libcuda.so.1"}, "it comes with the NVIDIA driver: run on a machine with a GPU");
    Driver d;
    library.find(d.init, "cuInit");
    library.find(d.deviceGet, "cuDeviceGet");
    library.find(d.deviceGetName, "cuDeviceGetName");
    library.find(d.retainContext, "cuDevicePrimaryCtxRetain");
    library.find(d.setContext, "cuCtxSetCurrent");
    library.find(d.allocate, "cuMemAlloc_v2");
    library.find(d.release, "cuMemFree_v2");
    library.find(d.fill, "cuMemsetD8_v2");
    library.find(d.copy, "cuMemcpyDtoDAsync_v2");
    library.find(d.eventCreate, "cuEventCreate");
    library.find(d.eventRecord, "cuEventRecord");
    library.find(d.eventSynchronize, "cuEventSynchronize");
    library.find(d.eventElapsed, "cuEventElapsedTime");
    return d;
}

Blas openBlas() {
    const Opened library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
                         "it comes with the CUDA toolkit and with PyTorch's wheels: add its folder to LD_LIBRARY_PATH");
    Blas b;
    library.find(b.create, "cublasCreate_v2");
    library.find(b.version, "cublasGetVersion_v2");
    library.find(b.gemm, "cublasGemmEx");
    return b;
}

}  // namespace orrery::bench
