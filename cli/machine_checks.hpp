// What of this machine Orrery can use: libraries by opening them, programs by finding them, devices by asking NVML.
// Nothing is changed and no program is started.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

struct MachineCheck {
    std::string name;  ///< stable name for scripts: "cupti"
    bool usable = false;
    std::string found;  ///< version, path or count; empty when there is nothing
    std::string what;   ///< what it is good for
    std::string mend;   ///< what to do when it is not usable
};

[[nodiscard]] std::vector<MachineCheck> checkMachine();

}  // namespace orrery::cli
