// What NCCL says about a call in its NVTX payload (NCCL, src/init_nvtx.cc and src/collectives.cc): communicator, bytes,
// peer. The layout comes from the payload schemas in the export, by the names of their entries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/nsys/nsys_database.hpp"

namespace orrery::importers {

/// Absent means that the call has no such field, or that it could not be decoded.
struct NcclPayload {
    std::optional<std::int64_t> communicator, bytes, ranks, rank, peer;

    [[nodiscard]] bool known() const { return communicator.has_value(); }
};

class NcclPayloadDecoder {
  public:
    /// Reads the schemas. Every process registers them anew, so rows repeat.
    explicit NcclPayloadDecoder(NsysDatabase& database);

    [[nodiscard]] bool hasSchemas() const { return !schemas_.empty(); }
    /// Decodes the bytes of NVTX_EVENTS.binaryData: a header of 32 bytes (domain, schema, size), then the structure.
    /// Nothing when it is shorter than it says, or of a schema that is not known.
    [[nodiscard]] std::optional<NcclPayload> decode(std::string_view blob) const;

  private:
    enum class Field : std::uint8_t { communicator, bytes, ranks, rank, peer };
    struct Entry {
        Field field = Field::communicator;
        std::size_t offset = 0, size = 0;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Entry>> schemas_;  // by domain and schema
};

}  // namespace orrery::importers
