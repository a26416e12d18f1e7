// Real traces against facts that were computed independently (README of the shared traces): counts exactly, times
// within 1 us + 1e-9 of the value.
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "data/summary/profile_facts.hpp"
#include "importers/import_paths.hpp"
#include "tests/importers/device_facts.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::test;
using Json = nlohmann::json;

namespace {

void checkEvents(const Profile& profile, const Json& facts) {
    std::map<std::string, std::int64_t> seen;
    for (const auto& entry : profile.metadata()) {
        if (entry.key.starts_with("events")) seen[entry.key] = std::stoll(entry.value);
    }
    CHECK(seen["events"] == facts["events"].get<std::int64_t>());
}

void checkFile(const std::filesystem::path& file, const Json& facts) {
    CAPTURE(file.filename().string());
    const TempFolder folder;
    {
        ProfileWriter writer(folder / "job.db");
        const auto summary = importers::importPaths({file}, writer, {});
        CHECK(summary.files.at(0).result.warnings.empty());
        writer.finish();
    }
    const Profile profile(folder / "job.db");
    const auto ranks = profileFacts(profile);
    REQUIRE(ranks.size() == 1);
    const RankFacts& rank = ranks[0];
    CHECK((rank.rank.rank ? Json(*rank.rank.rank) : Json(nullptr)) == facts["rank"]);
    CHECK((rank.rank.worldSize ? Json(*rank.rank.worldSize) : Json(nullptr)) == facts["world_size"]);
    CHECK((rank.rank.baseTime ? Json(*rank.rank.baseTime) : Json(nullptr)) == facts["base_time_ns"]);
    CHECK(rank.steps == facts["steps"].get<std::int64_t>());
    CHECK(rank.memcpyBytes == facts["memcpy_bytes"].get<std::int64_t>());
    REQUIRE(rank.devices.size() == facts["devices"].size());
    for (const auto& device : rank.devices) checkDevice(device, facts["devices"][std::to_string(device.device)]);
    checkEvents(profile, facts);
}

std::filesystem::path placeOf(const std::filesystem::path& root, const std::string& name) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().filename() == name) return entry.path();
    }
    return {};
}

}  // namespace

TEST_CASE("every real Kineto trace gives the facts that were computed independently", "[kineto][facts]") {
    const auto factsFile = sharedData("traces/facts.jsonl");
    if (!factsFile) return;
    std::ifstream in(*factsFile);
    int files = 0;
    for (std::string line; std::getline(in, line);) {
        const Json facts = Json::parse(line);
        if (facts["format"] != "kineto") continue;
        checkFile(placeOf(factsFile->parent_path() / "kineto", facts["file"].get<std::string>()), facts);
        ++files;
    }
    CHECK(files >= 10);
}

TEST_CASE("a folder of two ranks is one job with two ranks", "[kineto][facts]") {
    const auto folder = sharedData("traces/kineto/hta_dlrm_2ranks");
    if (!folder) return;
    const TempFolder out;
    {
        ProfileWriter writer(out / "job.db");
        CHECK(importers::importPaths({*folder}, writer, {}).files.size() == 2);
        writer.finish();
    }
    const auto ranks = Profile(out / "job.db").ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].rank == 0);
    CHECK(ranks[1].rank == 1);
}
