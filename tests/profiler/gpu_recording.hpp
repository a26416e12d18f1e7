// Records cuda_program with the stand-in libcupti and hands back what its profile holds.
#pragma once

#include "tests/profiler/recording.hpp"

namespace orrery::test {

struct GpuKernel : KernelRow {
    std::string name;
};
struct GpuCopy : CopyRow {
    std::string name;
};
struct GpuProcess {
    std::filesystem::path file;
    std::vector<GpuKernel> kernels;  ///< in order of start
    std::vector<GpuCopy> copies;
    std::map<std::string, std::int64_t> losses;
    std::map<std::string, std::string> metadata;
};

inline const std::string kCudaProgram = ORRERY_BIN_DIR "/cuda_program";
inline const std::string kFakeCupti = ORRERY_LIB_DIR "/libfake_cupti.so";

inline GpuProcess readGpu(const std::filesystem::path& file) {
    GpuProcess process;
    process.file = file;
    const Profile profile(file);
    profile.forEachKernel([&](const KernelView& view) { process.kernels.push_back({view, std::string(view.name)}); });
    profile.forEachCopy([&](const CopyView& view) { process.copies.push_back({view, std::string(view.name)}); });
    for (const auto& loss : profile.losses()) process.losses[loss.kind] += loss.count;
    for (const auto& entry : profile.metadata()) process.metadata[entry.key] = entry.value;
    return process;
}

inline std::filesystem::path onlyProfile(const TempFolder& folder) {
    const auto files = profilesIn(folder / "out");
    REQUIRE(files.size() == 1);
    return files.front();
}

/// Runs one mode of cuda_program under the agent; options given here win over --cupti with the stand-in.
inline ProgramRun runGpu(const TempFolder& folder, const std::string& mode, const std::string& options = "",
                         const std::string& environment = "") {
    const std::string cupti = options.find("--cupti") == std::string::npos ? "--cupti " + kFakeCupti + " " : "";
    return runAgent(folder, kCudaProgram + " " + mode, cupti + options, "FAKE_CUPTI=" + kFakeCupti + " " + environment);
}

/// Records one mode, which must end well and leave one profile; the file is gone afterwards.
inline GpuProcess recordGpu(const std::string& mode, const std::string& options = "",
                            const std::string& environment = "") {
    const TempFolder folder;
    const ProgramRun run = runGpu(folder, mode, options, environment);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    return readGpu(onlyProfile(folder));
}

}  // namespace orrery::test
