#include "profiler/workload/annotations.hpp"

namespace orrery::workload {
namespace {
constexpr double kFloat = 4.0;
std::int64_t whole(double value) {
    return static_cast<std::int64_t>(value);
}
}  // namespace

const Annotations& Annotations::instance() {
    static const Annotations annotations;
    return annotations;
}

GemmRange::GemmRange(nvtx::Name name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k)
    : Range(Annotations::instance().domain, Annotations::instance().op, name, Annotations::instance().gemmSchema,
            {static_cast<int>(pass), m, n, k, 1,
             whole(kFloat *
                   (static_cast<double>(m) * static_cast<double>(k) + static_cast<double>(k) * static_cast<double>(n) +
                    static_cast<double>(m) * static_cast<double>(n))),
             whole(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k))}) {}

MemoryRange::MemoryRange(nvtx::Name name, OpClass cls, Pass pass, double bytes, double flops)
    : Range(Annotations::instance().domain, Annotations::instance().op, name, Annotations::instance().memorySchema,
            {static_cast<int>(pass), static_cast<int>(cls), whole(bytes), whole(flops)}) {}

CommRange::CommRange(nvtx::Name name, const CommDescription& d)
    : Range(Annotations::instance().domain, Annotations::instance().comm, name, Annotations::instance().commSchema,
            {static_cast<int>(d.cls), d.bytes, d.groupSize, d.peer, d.sequence, d.microBatch, d.step,
             static_cast<int>(d.phase)}) {}

}  // namespace orrery::workload
