// What an activity record says, free of its layout. Times are CUPTI's own, in ns of its clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/cupti/layout.hpp"

namespace orrery::cupti {

struct GpuSpan {
    std::uint64_t start = 0, end = 0;  ///< 0: CUPTI has no time for it
    std::uint32_t device = 0, stream = 0, correlation = 0;
};
struct KernelActivity : GpuSpan {
    std::string_view name;
    std::optional<std::uint64_t> graphNode;  ///< nothing: not launched by a graph
};
struct CopyActivity : GpuSpan {
    std::string name;  ///< "Memcpy HtoD (Pinned -> Device)", "Memset (Device)": as the PyTorch profiler writes them
    std::uint64_t bytes = 0;
    bool isMemset = false;
};
struct ApiActivity {
    std::uint64_t start = 0, end = 0;
    std::uint32_t thread = 0, correlation = 0;
    std::string_view name;
};
struct SynchronizationActivity {
    std::uint64_t start = 0, end = 0;
    std::string_view name;
    std::uint32_t context = 0, correlation = 0;
    std::optional<std::uint32_t> stream, event;
};
struct EventActivity {
    std::optional<std::uint64_t> time;  ///< of the device, where the library tells it
    std::uint32_t context = 0, stream = 0, event = 0, correlation = 0;
    std::optional<std::uint32_t> device;
};
struct OverheadActivity {
    std::uint64_t start = 0, end = 0;
    std::string_view name;
    std::optional<std::uint32_t> thread;
};
struct ExternalActivity {
    std::uint32_t type = 0, correlation = 0;
    std::uint64_t id = 0;
};
struct DeviceActivity {
    std::uint32_t device = 0;
    std::string_view name;
    std::uint64_t memory = 0;
    std::uint32_t multiprocessors = 0;
};

/// Receives records in the order of a buffer. Texts are valid during the call.
class ActivitySink {
  public:
    virtual ~ActivitySink() = default;
    virtual void kernel(const KernelActivity&) = 0;
    virtual void copy(const CopyActivity&) = 0;
    virtual void api(const ApiActivity&) = 0;
    virtual void synchronization(const SynchronizationActivity&) = 0;
    virtual void event(const EventActivity&) = 0;
    virtual void overhead(const OverheadActivity&) = 0;
    virtual void external(const ExternalActivity&) = 0;
    virtual void device(const DeviceActivity&) = 0;
    virtual void unknown() = 0;  ///< of a kind that nobody asked for
};

/// Hands one record to the sink.
void decode(const RecordView& record, ActivitySink& sink);

/// The field of a record that points to a text of CUPTI's; nothing for kinds without one.
[[nodiscard]] std::optional<Field<std::uint64_t>> nameField(Kind kind);

}  // namespace orrery::cupti
