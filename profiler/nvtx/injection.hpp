// A program's side of NVTX: at first use it opens the library that NVTX_INJECTION64_PATH names and lets it fill the
// slots. annotate.hpp is the comfortable way; this is for those who need a call that it does not have.
#pragma once

#include <array>
#include <cstdint>

#include "profiler/nvtx/abi.hpp"

namespace orrery::nvtx {

/// The slots of this copy of the interface. Nothing is thrown: without a recorder all slots are empty.
class Injection {
  public:
    static const Injection& instance();

    /// Whether a recorder took hold of this process.
    [[nodiscard]] bool loaded() const { return loaded_; }

    /// The recorder's function for a call, nullptr when it has none. `Function` is its pointer type.
    template <typename Function>
    [[nodiscard]] static Function core(abi::CoreSlot slot) {
        return reinterpret_cast<Function>(instance().core_[slot]);
    }
    template <typename Function>
    [[nodiscard]] static Function core2(abi::Core2Slot slot) {
        return reinterpret_cast<Function>(instance().core2_[slot]);
    }
    template <typename Function>
    [[nodiscard]] static Function extension(abi::ExtensionSlot slot) {
        const std::intptr_t address = instance().extension_[slot];
        return address == 0 || address == abi::kSlotDisabled ? nullptr : reinterpret_cast<Function>(address);
    }

  private:
    Injection();
    static int moduleSlots(std::int32_t module, abi::SlotTable* slots, unsigned int* count);
    static const void* exportTable(std::uint32_t id);

    static inline Injection* building_ = nullptr;
    bool loaded_ = false;
    std::array<abi::AnyFunction, abi::coreSlots> core_{};
    std::array<abi::AnyFunction, abi::core2Slots> core2_{};
    std::array<std::intptr_t, abi::extensionSlots> extension_{};
};

}  // namespace orrery::nvtx
