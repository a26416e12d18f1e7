// A user's catalog whose one file has any content, read as a GPU, a cluster and a model.
#include "data/catalog/catalog.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto root = orrery::fuzz::folder() / "catalog";
    for (const char* kind : {"gpus", "clusters", "models"}) {
        std::filesystem::create_directories(root / kind);
        static_cast<void>(orrery::fuzz::inputFile(std::string("catalog/") + kind + "/fuzz.toml", data, size));
    }
    orrery::fuzz::run([&] { static_cast<void>(orrery::Catalog(root).gpu("fuzz")); });
    orrery::fuzz::run([&] { static_cast<void>(orrery::Catalog(root).cluster("fuzz")); });
    orrery::fuzz::run([&] { static_cast<void>(orrery::Catalog(root).model("fuzz")); });
    return 0;
}
