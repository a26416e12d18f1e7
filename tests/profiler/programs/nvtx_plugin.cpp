// A library with its own copy of the NVTX interface, opened while the program runs.
#include "profiler/nvtx/annotate.hpp"

extern "C" __attribute__((visibility("default"))) void pluginWork() {
    const orrery::nvtx::Domain domain("shared");
    const orrery::nvtx::Range range(domain, domain.category(7, "of the plugin"), domain.name("in plugin"));
}
