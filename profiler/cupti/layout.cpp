#include "profiler/cupti/layout.hpp"

#include <algorithm>
#include <array>

namespace orrery::cupti {
namespace {

/// From this version of the API on records have this size.
struct Step {
    std::uint32_t version;
    std::size_t size;
};

template <std::size_t N>
std::size_t sizeAt(const std::array<Step, N>& steps, std::uint32_t version) {
    std::size_t size = steps.front().size;
    for (const Step& step : steps) {
        if (version >= step.version) size = step.size;
    }
    return size;
}

// Versions: 13 = CUDA 11.0, 15 = 11.2, 16 = 11.5, 17 = 11.6, 18 = 11.8, 19 = 12.0, 22 = 12.4, 26 = 12.8, 130000 = 13.0.
// Sizes as the headers of CUDA 13.0.1 declare the older records beside the newest.
constexpr std::array<Step, 7> kKernel{{{0, 144}, {13, 160}, {15, 168}, {17, 176}, {18, 200}, {19, 208}, {130000, 216}}};
constexpr std::array<Step, 5> kMemcpy{{{0, 64}, {13, 72}, {15, 80}, {17, 88}, {26, 96}}};
constexpr std::array<Step, 4> kMemcpyPeer{{{0, 72}, {13, 80}, {15, 88}, {17, 96}}};
constexpr std::array<Step, 4> kMemset{{{0, 64}, {13, 72}, {15, 80}, {17, 88}}};
constexpr std::array<Step, 2> kSynchronization{{{0, 40}, {26, 56}}};
constexpr std::array<Step, 2> kCudaEvent{{{0, 24}, {26, 56}}};
constexpr std::array<Step, 3> kOverhead{{{0, 40}, {20, 48}, {22, 56}}};
constexpr std::array<Step, 3> kDevice{{{0, 144}, {18, 176}, {26, 184}}};

}  // namespace

std::size_t recordSize(Kind kind, std::uint32_t version) {
    switch (kind) {
        case Kind::concurrentKernel:
            return sizeAt(kKernel, version);
        case Kind::memcpy:
            return sizeAt(kMemcpy, version);
        case Kind::memcpyPeer:
            return sizeAt(kMemcpyPeer, version);
        case Kind::memset:
            return sizeAt(kMemset, version);
        case Kind::synchronization:
            return sizeAt(kSynchronization, version);
        case Kind::cudaEvent:
            return sizeAt(kCudaEvent, version);
        case Kind::overhead:
            return sizeAt(kOverhead, version);
        case Kind::externalCorrelation:
            return 24;
        case Kind::runtime:
        case Kind::driver:
            return 40;
        case Kind::device:
            return sizeAt(kDevice, version);
        case Kind::invalid:
            break;
    }
    return 0;
}

}  // namespace orrery::cupti
