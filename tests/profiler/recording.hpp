// Records a program with orrery-agent and hands back what its profiles hold.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "data/store/profile.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

namespace orrery::test {

inline const std::string kAgent = ORRERY_BIN_DIR "/orrery-agent";
inline const std::string kProgram = ORRERY_BIN_DIR "/nvtx_program";
inline const std::string kLibrary = ORRERY_LIB_DIR "/liborrery_inject.so";

struct RecordedRange {
    std::string name, domain, category, schema;
    std::int64_t thread = 0;
    std::optional<std::int64_t> endThread, duration;
    std::int64_t start = 0;
    RangeKind kind = RangeKind::pushPop;
    int depth = 0;
    std::optional<std::uint32_t> color;
    std::map<std::string, PayloadValue> values;
};

struct RecordedProcess {
    std::filesystem::path file;
    std::vector<RecordedRange> ranges;  ///< in order of start
    std::vector<RankInfo> ranks;
    std::map<std::string, std::int64_t> losses;
    std::map<std::int64_t, std::string> threads;
    std::vector<ClockSampleRow> clocks;

    [[nodiscard]] std::vector<RecordedRange> named(const std::string& name) const {
        std::vector<RecordedRange> found;
        for (const auto& range : ranges) {
            if (range.name == name) found.push_back(range);
        }
        return found;
    }
    /// The one range of that name.
    [[nodiscard]] RecordedRange only(const std::string& name) const {
        const auto found = named(name);
        INFO(name);
        REQUIRE(found.size() == 1);
        return found.front();
    }
};

inline RecordedProcess readProcess(const std::filesystem::path& file) {
    RecordedProcess process;
    process.file = file;
    const Profile profile(file);
    process.ranks = profile.ranks();
    process.clocks = profile.clockSamples();
    for (const auto& loss : profile.losses()) process.losses[loss.kind] += loss.count;
    for (const auto& thread : profile.threads()) process.threads[thread.thread] = thread.name;
    profile.forEachRange([&](const RangeView& view) {
        RecordedRange range{std::string(view.name),
                            std::string(view.domain),
                            std::string(view.category),
                            std::string(view.schema),
                            view.thread,
                            view.endThread,
                            view.duration,
                            view.start,
                            view.kind,
                            view.depth,
                            view.color,
                            {}};
        for (std::size_t i = 0; view.fields != nullptr && i < view.fields->size(); ++i) {
            range.values[(*view.fields)[i].name] = view.values.at(i);
        }
        process.ranges.push_back(std::move(range));
    });
    return process;
}

inline std::vector<std::filesystem::path> profilesIn(const std::filesystem::path& folder) {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".db") found.insert(entry.path());
    }
    return {found.begin(), found.end()};
}

/// Runs the agent on `command` (through the shell); profiles go to folder/"out".
inline ProgramRun runAgent(const TempFolder& folder, const std::string& command, const std::string& options = "",
                           const std::string& environment = "") {
    return runProgram(environment + " " + kAgent + " run -o " + (folder / "out").string() + " " + options + " -- " +
                      command);
}

/// Records one mode of nvtx_program, which must end well and leave one profile.
inline RecordedProcess record(const std::string& mode, const std::string& options = "",
                              const std::string& environment = "") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kProgram + " " + mode, options, environment);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 1);
    return readProcess(files.front());
}

inline std::int64_t lost(const RecordedProcess& process, const std::string& kind) {
    const auto found = process.losses.find(kind);
    INFO(kind);
    REQUIRE(found != process.losses.end());  // a 0 is written too: the count was taken
    return found->second;
}

}  // namespace orrery::test
