// A scenario file of any content.
#include "data/scenario/scenario_file.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    orrery::fuzz::run(
        [&] { static_cast<void>(orrery::readScenario(orrery::fuzz::inputFile("scenario.toml", data, size))); });
    return 0;
}
