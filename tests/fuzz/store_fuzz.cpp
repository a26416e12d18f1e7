// A profile of any content, asked for everything that summaries and timelines ask.
#include "data/store/profile.hpp"
#include "data/summary/profile_facts.hpp"
#include "data/timeline/measured_timeline.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    orrery::fuzz::run([&] {
        const orrery::Profile profile(orrery::fuzz::inputFile("profile.db", data, size));
        static_cast<void>(orrery::profileFacts(profile));
        static_cast<void>(orrery::readMeasuredTimeline(profile));
        static_cast<void>(profile.processGroups());
        static_cast<void>(profile.measurements());
        static_cast<void>(profile.metadata());
    });
    return 0;
}
