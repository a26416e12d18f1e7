#include "profiler/nvtx/injection.hpp"

#include <cstdlib>

#include <dlfcn.h>

namespace orrery::nvtx {

const Injection& Injection::instance() {
    static const Injection injection;
    return injection;
}

Injection::Injection() {
    const char* path = std::getenv(abi::kInjectionVariable);
    if (path == nullptr || *path == '\0') return;
    void* library = dlopen(path, RTLD_LAZY);
    if (library == nullptr) return;  // as NVTX itself does: a missing recorder never stops a program
    building_ = this;
    if (const auto init = reinterpret_cast<abi::InitializeCore>(dlsym(library, abi::kCoreEntry))) {
        loaded_ = init(&exportTable) != 0;
    }
    if (!loaded_) {
        core_.fill(nullptr);
        core2_.fill(nullptr);
    }
    if (const auto init = reinterpret_cast<abi::InitializeExtension>(dlsym(library, abi::kExtensionEntry));
        loaded_ && init != nullptr) {
        abi::ExtensionSegment segment{0, extension_.size(), extension_.data()};
        abi::ExtensionModule module{};
        module.nvtxVersion = abi::kVersion;
        module.structSize = sizeof(module);
        module.moduleId = abi::kPayloadModule;
        module.compatId = 0x0104;
        module.segmentCount = 1;
        module.segments = &segment;
        if (init(&module) == 0) extension_.fill(0);
    }
    building_ = nullptr;
}

int Injection::moduleSlots(std::int32_t module, abi::SlotTable* slots, unsigned int* count) {
    // The recorder calls back during construction; the static is not yet there, hence `building_`.
    static std::array<abi::AnyFunction*, abi::coreSlots> coreTable{};
    static std::array<abi::AnyFunction*, abi::core2Slots> core2Table{};
    if (module == abi::moduleCore) {
        for (std::size_t i = 1; i < coreTable.size(); ++i) coreTable[i] = &building_->core_[i];
        *slots = coreTable.data();
        *count = coreTable.size();
        return 1;
    }
    if (module == abi::moduleCore2) {
        for (std::size_t i = 1; i < core2Table.size(); ++i) core2Table[i] = &building_->core2_[i];
        *slots = core2Table.data();
        *count = core2Table.size();
        return 1;
    }
    return 0;
}

const void* Injection::exportTable(std::uint32_t id) {
    static const abi::CallbacksTable callbacks{sizeof(abi::CallbacksTable), &moduleSlots};
    static const abi::VersionTable version{sizeof(abi::VersionTable), abi::kVersion, 0, [](std::uint32_t) {}};
    if (id == abi::exportCallbacks) return &callbacks;
    if (id == abi::exportVersion) return &version;
    return nullptr;
}

}  // namespace orrery::nvtx
