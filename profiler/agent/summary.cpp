#include "profiler/agent/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "data/store/profile.hpp"

namespace orrery::agent {

std::set<std::filesystem::path> profilesIn(const std::filesystem::path& folder) {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".db" && isProfile(entry.path())) found.insert(entry.path());
    }
    return found;
}

void printSummary(const std::filesystem::path& folder, const std::set<std::filesystem::path>& before) {
    const auto after = profilesIn(folder);
    std::vector<std::filesystem::path> fresh;
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(fresh));
    if (fresh.empty()) {
        fmt::print(stderr, "orrery-agent: nothing was recorded: no process of the command marked an NVTX range\n");
        return;
    }
    std::int64_t ranges = 0;
    std::int64_t lost = 0;
    for (const auto& file : fresh) {
        try {
            const Profile profile(file);
            ranges += profile.count("ranges");
            for (const auto& loss : profile.losses()) lost += loss.count;
        } catch (const std::exception& error) {
            fmt::print(stderr, "orrery-agent: {}\n", error.what());
        }
    }
    fmt::print(stderr, "orrery-agent: {} process{}, {} ranges, {} lost, in {}\n", fresh.size(),
               fresh.size() == 1 ? "" : "es", ranges, lost, folder.string());
    fmt::print(stderr, "orrery-agent: next: orrery import {} -o job.db\n", folder.string());
}

}  // namespace orrery::agent
