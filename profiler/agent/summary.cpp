#include "profiler/agent/summary.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/store/profile.hpp"
#include "profiler/inject/settings.hpp"

namespace orrery::agent {
namespace {

struct Recorded {
    std::int64_t processes = 0, others = 0, ranges = 0, kernels = 0;
    std::map<std::string, std::int64_t> losses;
};

bool belongsTo(const Profile& profile, const std::string& session) {
    const auto metadata = profile.metadata();
    return std::any_of(metadata.begin(), metadata.end(), [&](const MetadataInfo& entry) {
        return entry.key == inject::kSessionKey && entry.value == session;
    });
}

Recorded readFolder(const std::filesystem::path& folder, const std::string& session) {
    Recorded recorded;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".db" || !isProfile(entry.path())) continue;
        try {
            const Profile profile(entry.path());
            if (!belongsTo(profile, session)) {
                ++recorded.others;
                continue;
            }
            ++recorded.processes;
            recorded.ranges += profile.count("ranges");
            recorded.kernels += profile.count("kernels");
            for (const auto& loss : profile.losses()) recorded.losses[loss.kind] += loss.count;
        } catch (const std::exception& error) {
            fmt::print(stderr, "orrery-agent: {}\n", error.what());
        }
    }
    std::erase_if(recorded.losses, [](const auto& loss) { return loss.second == 0; });
    return recorded;
}

std::string describe(const std::map<std::string, std::int64_t>& losses) {
    if (losses.empty()) return "nothing lost";
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : losses) kinds.push_back(fmt::format("{} {}", kind, count));
    return fmt::format("losses: {}", fmt::join(kinds, ", "));
}

}  // namespace

void printSummary(const std::filesystem::path& folder, const std::string& session) {
    const Recorded recorded = readFolder(folder, session);
    if (recorded.processes == 0) {
        fmt::print(stderr,
                   "orrery-agent: nothing was recorded: no process of the command marked an NVTX range or used CUDA\n");
        return;
    }
    fmt::print(stderr, "orrery-agent: {} process{}, {}{} ranges and marks, {}, in {}\n", recorded.processes,
               recorded.processes == 1 ? "" : "es",
               recorded.kernels > 0 ? fmt::format("{} kernels, ", recorded.kernels) : "", recorded.ranges,
               describe(recorded.losses), folder.string());
    if (recorded.losses.contains("queue_overflow") || recorded.losses.contains("end_lost")) {
        fmt::print(stderr, "orrery-agent: a larger --ring-kib or a smaller --drain-ms avoids overflow\n");
    }
    if (recorded.others > 0) {
        fmt::print(stderr, "orrery-agent: {} profile{} of other runs in that folder; 'orrery import' merges them too\n",
                   recorded.others, recorded.others == 1 ? "" : "s");
    }
    fmt::print(stderr, "orrery-agent: next: orrery import {} -o job.db\n", folder.string());
}

}  // namespace orrery::agent
