// The CUPTI half of liborrery_inject.so: the entry point that the CUDA driver calls (CUDA_INJECTION64_PATH).
#include "profiler/inject/gpu_recording.hpp"
#include "profiler/inject/process.hpp"

/// Called by the CUDA driver when a program first uses it. Returns 1: all is well, also when nothing can be recorded,
/// because a program must not fail for want of a record.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    using namespace orrery::inject;
    const Entered entered;  // what CUPTI marks or allocates on the way is not the program's
    try {
        if (const Settings* settings = startRecorder()) startGpuRecording(*settings);
    } catch (...) {  // out of memory: not recorded
    }
    return 1;
}
