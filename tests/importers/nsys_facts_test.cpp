// Real exports of Nsight Systems, 2022 to 2026, against facts that were computed independently.
#include <fstream>
#include <set>

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

std::string metadata(const Profile& profile, std::string_view key) {
    for (const auto& entry : profile.metadata()) {
        if (entry.key == key) return entry.value;
    }
    return {};
}

/// Facts are of the file; a profile has a rank a process, each on its own devices in these files.
void checkFile(const std::filesystem::path& file, const Json& facts) {
    CAPTURE(file.filename().string());
    const TempFolder folder;
    importers::ImportSummary summary;
    {
        ProfileWriter writer(folder / "job.db");
        summary = importers::importPaths({file}, writer, {});
        writer.finish();
    }
    for (const auto& warning : summary.files.at(0).result.warnings) {
        INFO(warning.text);
        CHECK(warning.advice);
    }
    const Profile profile(folder / "job.db");
    CHECK(metadata(profile, "nsys.version") == facts["version"].get<std::string>());
    CHECK(metadata(profile, "nsys.schema") == facts["schema"].get<std::string>());
    std::int64_t copied = 0;
    std::size_t devices = 0;
    for (const auto& rank : profileFacts(profile)) {
        copied += rank.memcpyBytes;
        for (const auto& device : rank.devices) {
            checkDevice(device, facts["devices"].at(std::to_string(device.device)));
            if (!facts["gpus"].empty()) CHECK(device.name == facts["gpus"][0].get<std::string>());
            ++devices;
        }
    }
    CHECK(copied == facts["memcpy_bytes"].get<std::int64_t>());
    CHECK(devices == facts["devices"].size());
    const Json& tables = facts["tables"];
    const auto rows = [&](const char* table) { return tables.value(table, std::int64_t{0}); };
    CHECK(profile.count("kernels") == rows("CUPTI_ACTIVITY_KIND_KERNEL"));
    CHECK(profile.count("copies") == rows("CUPTI_ACTIVITY_KIND_MEMCPY") + rows("CUPTI_ACTIVITY_KIND_MEMSET"));
}

}  // namespace

TEST_CASE("every real Nsight Systems export gives the facts that were computed independently", "[nsys][facts]") {
    const auto factsFile = sharedData("traces/facts.jsonl");
    if (!factsFile) return;
    std::ifstream in(*factsFile);
    int files = 0;
    for (std::string line; std::getline(in, line);) {
        const Json facts = Json::parse(line);
        if (facts["format"] != "nsys-sqlite") continue;
        checkFile(factsFile->parent_path() / "nsys" / facts["file"].get<std::string>(), facts);
        ++files;
    }
    CHECK(files >= 3);
}

TEST_CASE("a report of two processes is two ranks, and sends without payloads are told how to get them",
          "[nsys][facts]") {
    const auto file = sharedData("traces/nsys/nsysai_2gpu_mfu_before.sqlite");
    if (!file) return;
    const TempFolder folder;
    importers::ImportSummary summary;
    {
        ProfileWriter writer(folder / "job.db");
        summary = importers::importPaths({*file}, writer, {});
        writer.finish();
    }
    const Profile profile(folder / "job.db");
    const auto ranks = profile.ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].pid == 144);
    CHECK(ranks[1].pid == 145);
    CHECK(ranks[0].baseTime == 1779782330176752435 - 28254349605);
    CHECK_FALSE(summary.files.at(0).result.rankKnown);
    std::string notes;
    for (const auto& warning : summary.files.at(0).result.warnings) notes += warning.text;
    CHECK(notes.find("nsys export --type=sqlite --include-blobs=true --force-overwrite=true -o "
                     "nsysai_2gpu_mfu_before.sqlite mfu_h1002_nsys.nsys-rep") != std::string::npos);
    // Grouped sends and receives launch in ncclGroupEnd: each of the 66 kernels has its call, of unknown size.
    std::int64_t collectives = 0;
    profile.forEachCollective([&](const CollectiveView& view) {
        ++collectives;
        CHECK(view.kind == OpClass::sendRecv);
        CHECK_FALSE(view.bytes.has_value());
    });
    CHECK(collectives == 66);
    // Counters in PyTorch's range names are gone: few names are left of 18,656 ranges.
    std::set<std::string, std::less<>> names;
    std::int64_t ranges = 0;
    profile.forEachRange([&](const RangeView& view) {
        if (view.category.empty()) ++ranges;
        names.emplace(view.name);
    });
    CHECK(ranges == 18656 + 462);
    CHECK(profile.count("synchronizations") == 366);
    CHECK(names.size() < 200);
}
