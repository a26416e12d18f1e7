// The committed corpus of the fuzzers, replayed in every build: each file ends in a profile or in one line of what is
// wrong.
#include <catch2/catch.hpp>

#include "data/scenario/scenario_file.hpp"
#include "data/summary/profile_facts.hpp"
#include "importers/registry.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

const std::filesystem::path kCorpus = std::filesystem::path(ORRERY_SOURCE_DIR) / "tests/fuzz/corpus";

/// How many files of a folder `read` takes; those it refuses must say why.
template <typename Read>
int taken(const std::string& folder, Read read) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kCorpus / folder)) {
        CAPTURE(entry.path().filename().string());
        try {
            read(entry.path());
            ++count;
        } catch (const InputError& error) {
            CHECK(std::string_view(error.what()).size() > 10);
            CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos);
        }
    }
    return count;
}

}  // namespace

TEST_CASE("every importer takes files of its corpus and survives the rest", "[fuzz]") {
    for (const auto* importer : importers::allImporters()) {
        const std::string name(importer->name());
        if (!std::filesystem::exists(kCorpus / name)) continue;
        CAPTURE(name);
        const TempFolder out;
        CHECK(taken(name, [&](const std::filesystem::path& file) {
                  {
                      ProfileWriter writer(out / "job.db");
                      importer->read(file, writer, {});
                      writer.finish();
                  }
                  static_cast<void>(profileFacts(Profile(out / "job.db")));
              }) >= 1);
    }
}

TEST_CASE("scenarios and profiles of the corpus are read", "[fuzz]") {
    CHECK(taken("scenario", [](const std::filesystem::path& file) { static_cast<void>(readScenario(file)); }) == 2);
    CHECK(taken("store", [](const std::filesystem::path& file) { static_cast<void>(profileFacts(Profile(file))); }) ==
          1);
}
