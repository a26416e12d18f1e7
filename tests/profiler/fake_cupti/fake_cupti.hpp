// A stand-in for libcupti, for machines without a GPU: the real functions' names and protocol, fed by a program through
// the functions below instead of by a driver. Records have the layout of the version in FAKE_CUPTI_VERSION.
#pragma once

#include <cstdint>

namespace orrery::test {

/// What to put into a record; times in CUPTI's clock, 0: leave them out.
struct FakeRecord {
    std::uint32_t kind = 0;
    std::uint64_t start = 0, end = 0;
    std::uint32_t device = 0, stream = 7, correlation = 1;
    const char* name = nullptr;  ///< kernels and devices
    std::uint64_t bytes = 0;     ///< copies
    std::uint32_t number = 0;    ///< cbid, copy kind, type of synchronisation or overhead, event, external kind
    std::uint64_t graphNode = 0, externalId = 0;
};

/// The stand-in's own functions, looked up with dlsym in the library that recording has loaded.
using FakeEmit = int (*)(const FakeRecord*);  ///< "fakeCuptiEmit": 1 recorded, 0 dropped, -1 kind is not enabled
using FakeHold = void (*)(int);               ///< "fakeCuptiHold": while on, buffers are not complete
using FakeFreeNames = void (*)();             ///< "fakeCuptiFreeNames": overwrites the names that it was given
using FakeShiftClock = void (*)(std::int64_t, double);  ///< "fakeCuptiShiftClock": clock = offset + scale x unix time
using FakeNow = std::uint64_t (*)();                    ///< "fakeCuptiNow": its clock, as cuptiGetTimestamp
using FakeDeliverForeign = void (*)();                  ///< "fakeCuptiDeliverForeign": completes a buffer nobody gave

// Environment: FAKE_CUPTI_VERSION (130001), FAKE_CUPTI_SUBSCRIBE (result of subscribing), FAKE_CUPTI_HOLDER (who has
// it), FAKE_CUPTI_ENABLE (result of every enable), FAKE_CUPTI_REFUSED_KIND (a kind that is not supported).

}  // namespace orrery::test
