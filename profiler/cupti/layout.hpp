// Where the fields of activity records lie. Layouts only ever grew at their end (CUDA 11.0 to 13.0), so a field is read
// when the record, whose size follows from its kind and the version of the loaded library, is long enough to hold it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "profiler/cupti/abi.hpp"

namespace orrery::cupti {

template <typename Value>
struct Field {
    std::size_t offset;
    using type = Value;
    [[nodiscard]] constexpr std::size_t end() const { return offset + sizeof(Value); }
};

namespace kernel {  // CUpti_ActivityKernel4 to 10
inline constexpr Field<std::uint64_t> start{16}, end{24}, gridId{96}, name{104}, graphNode{144};
inline constexpr Field<std::uint32_t> device{40}, context{44}, stream{48}, correlation{92};
}  // namespace kernel
namespace copy {  // CUpti_ActivityMemcpy to Memcpy6
inline constexpr Field<std::uint8_t> copyKind{4}, sourceKind{5}, targetKind{6};
inline constexpr Field<std::uint64_t> bytes{8}, start{16}, end{24};
inline constexpr Field<std::uint32_t> device{32}, context{36}, stream{40}, correlation{44};
}  // namespace copy
namespace peer_copy {  // CUpti_ActivityMemcpyPtoP to PtoP4: as a copy, but for
inline constexpr Field<std::uint32_t> sourceDevice{44}, targetDevice{52}, correlation{60};
}  // namespace peer_copy
namespace memset {  // CUpti_ActivityMemset to Memset4
inline constexpr Field<std::uint64_t> bytes{8}, start{16}, end{24};
inline constexpr Field<std::uint32_t> device{32}, context{36}, stream{40}, correlation{44};
inline constexpr Field<std::uint16_t> memoryKind{50};
}  // namespace memset
namespace synchronization {  // CUpti_ActivitySynchronization, 2
inline constexpr Field<std::uint32_t> type{4}, correlation{24}, context{28}, stream{32}, event{36};
inline constexpr Field<std::uint64_t> start{8}, end{16}, eventSync{40};
}  // namespace synchronization
namespace cuda_event {  // CUpti_ActivityCudaEvent, 2
inline constexpr Field<std::uint32_t> correlation{4}, context{8}, stream{12}, event{16}, device{24};
inline constexpr Field<std::uint64_t> time{40}, eventSync{48};
}  // namespace cuda_event
namespace overhead {  // CUpti_ActivityOverhead to Overhead3
inline constexpr Field<std::uint32_t> type{4}, objectKind{8};
inline constexpr Field<std::uint32_t> process{12}, thread{16};  ///< when the object is a thread
inline constexpr Field<std::uint64_t> start{24}, end{32};
}  // namespace overhead
namespace external {  // CUpti_ActivityExternalCorrelation
inline constexpr Field<std::uint32_t> type{4}, correlation{16};
inline constexpr Field<std::uint64_t> id{8};
}  // namespace external
namespace api {  // CUpti_ActivityAPI
inline constexpr Field<std::uint32_t> function{4}, process{24}, thread{28}, correlation{32}, result{36};
inline constexpr Field<std::uint64_t> start{8}, end{16};
}  // namespace api
namespace device {  // CUpti_ActivityDevice4, 5 (CUDA 11.8 on; earlier ones differ and are not read)
inline constexpr Field<std::uint64_t> memory{16}, name{136};
inline constexpr Field<std::uint32_t> multiprocessors{44}, id{112};
}  // namespace device

/// Bytes of a record as version `version` (cuptiGetVersion) of the library writes it: the documented size, or for
/// versions we do not know that of the newest one we do. 0: a kind that is not read.
[[nodiscard]] std::size_t recordSize(Kind kind, std::uint32_t version);

/// A record in a buffer, with as many bytes as are certainly its own.
class RecordView {
  public:
    RecordView(std::uint8_t* record, std::size_t size) : bytes_(record, size) {}

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(get(Field<std::uint32_t>{0}).value_or(0)); }
    /// Nothing when this version of the record does not have the field.
    template <typename Value>
    [[nodiscard]] std::optional<Value> get(Field<Value> field) const {
        if (field.end() > bytes_.size()) return std::nullopt;
        Value value;
        std::memcpy(&value, bytes_.data() + field.offset, sizeof(value));
        return value;
    }
    /// \pre the record has the field
    template <typename Value>
    void set(Field<Value> field, Value value) {
        std::memcpy(bytes_.data() + field.offset, &value, sizeof(value));
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  private:
    std::span<std::uint8_t> bytes_;
};

}  // namespace orrery::cupti
