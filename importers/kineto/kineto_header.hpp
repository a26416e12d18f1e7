// What the top level of a Kineto trace says about the job: rank, groups, devices, base time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/kineto/kineto_document.hpp"

namespace orrery::importers {

struct KinetoDevice {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::int64_t> memoryBytes, multiprocessors;
};
struct KinetoGroup {
    std::string name, description;
    std::optional<std::int64_t> size;
    std::string ranks;  ///< "0,1,2"; empty when not known in full
};
struct KinetoHeader {
    std::optional<std::int64_t> rank, worldSize, baseTime;
    std::string ncclVersion, backend;
    std::vector<KinetoDevice> devices;
    std::vector<KinetoGroup> groups;
};

/// Reads distributedInfo, deviceProperties and baseTimeNanoseconds; whatever is damaged is left unknown.
[[nodiscard]] KinetoHeader readHeader(const KinetoDocument& document);

/// "[0, 1, 2]" or "0,1,2" -> "0,1,2"; empty when the list is shortened with an ellipsis or damaged.
[[nodiscard]] std::string normalizeRanks(std::string_view text);

}  // namespace orrery::importers
