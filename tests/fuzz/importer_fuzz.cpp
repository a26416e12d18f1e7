// One importer, named by ORRERY_FUZZ_IMPORTER, on any bytes that it recognises.
#include <algorithm>
#include <optional>

#include "importers/registry.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

const orrery::importers::Importer& target() {
    for (const auto* importer : orrery::importers::allImporters()) {
        if (importer->name() == ORRERY_FUZZ_IMPORTER) return *importer;
    }
    std::abort();
}

/// Making a profile takes longer than reading a small input: one profile takes many inputs.
orrery::ProfileWriter& writer() {
    constexpr int kInputsPerProfile = 500;
    static std::optional<orrery::ProfileWriter> profile;
    static int inputs = 0;
    if (inputs++ % kInputsPerProfile == 0) {
        profile.reset();
        profile.emplace(orrery::fuzz::folder() / "out.db");
    }
    return *profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto& importer = target();
    const std::string_view head(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 64 * 1024));
    const bool gzip = size > 2 && data[0] == 0x1F && data[1] == 0x8B;
    if (!gzip && !importer.recognises(head)) return -1;  // not worth keeping
    orrery::fuzz::run([&] {
        const auto file = orrery::fuzz::inputFile("input", data, size);
        static_cast<void>(importer.read(file, writer(), {}));
    });
    return 0;
}
