#include "importers/nsys/nccl_payload.hpp"

#include <algorithm>

namespace orrery::importers {
namespace {

constexpr std::size_t kHeader = 32;

/// Bytes of an entry by its NVTX type number (NVTX v3, nvToolsExtPayload.h); 0 for those that NCCL does not use.
std::size_t sizeOfType(std::int64_t type) {
    switch (type) {
        case 5:   // int
        case 6:   // unsigned int
        case 15:  // int32
        case 16:  // uint32
            return 4;
        case 7:  // long and unsigned long, 64 bit on the platforms that NCCL runs on
        case 8:
        case 9:   // long long
        case 10:  // unsigned long long
        case 17:  // int64
        case 18:  // uint64
        case 22:  // size_t
            return 8;
        default:
            return 0;
    }
}

std::uint64_t littleEndian(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

}  // namespace

NcclPayloadDecoder::NcclPayloadDecoder(NsysDatabase& database) {
    auto rows = database.read("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "name", "type", "offset"}, 4);
    while (rows.next()) {
        const std::string_view name = rows.text(2);
        Entry entry;
        if (name == "NCCL communicator ID") {
            entry.field = Field::communicator;
        } else if (name == "Message size [bytes]") {
            entry.field = Field::bytes;
        } else if (name == "No. of ranks") {
            entry.field = Field::ranks;
        } else if (name == "Rank") {
            entry.field = Field::rank;
        } else if (name == "Peer rank" || name == "Peer") {
            entry.field = Field::peer;
        } else {
            continue;
        }
        entry.size = sizeOfType(rows.integer(3));
        const std::int64_t offset = rows.integer(4);  // NULL for the first entry
        if (entry.size == 0 || offset < 0 || offset > 4096) continue;
        entry.offset = static_cast<std::size_t>(offset);
        auto& entries = schemas_[{rows.integer(0), rows.integer(1)}];
        const bool repeated =
            std::any_of(entries.begin(), entries.end(), [&](const Entry& known) { return known.field == entry.field; });
        if (!repeated) entries.push_back(entry);
    }
}

std::optional<NcclPayload> NcclPayloadDecoder::decode(std::string_view blob) const {
    if (blob.size() < kHeader) return std::nullopt;
    const auto domain = static_cast<std::int64_t>(littleEndian(blob, 0, 4));
    const auto schema = static_cast<std::int64_t>(littleEndian(blob, 8, 4));
    const std::uint64_t size = littleEndian(blob, 16, 8);
    const auto found = schemas_.find({domain, schema});
    if (found == schemas_.end() || size > blob.size() - kHeader) return std::nullopt;
    const std::string_view body = blob.substr(kHeader, static_cast<std::size_t>(size));
    NcclPayload payload;
    for (const auto& entry : found->second) {
        if (entry.offset + entry.size > body.size()) return std::nullopt;
        const std::uint64_t raw = littleEndian(body, entry.offset, entry.size);
        const std::int64_t value = entry.size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(raw))
                                                   : static_cast<std::int64_t>(raw);
        switch (entry.field) {
            case Field::communicator:
                payload.communicator = value;
                break;
            case Field::bytes:
                if (value >= 0) payload.bytes = value;
                break;
            case Field::ranks:
                if (value > 0) payload.ranks = value;
                break;
            case Field::rank:
                if (value >= 0) payload.rank = value;
                break;
            case Field::peer:
                if (value >= 0) payload.peer = value;
                break;
        }
    }
    return payload;
}

}  // namespace orrery::importers
