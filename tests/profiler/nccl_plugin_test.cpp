// The NCCL profiler plugin in every version of its interface, driven as NCCL drives it (programs/nccl_program.cpp).
#include <nlohmann/json.hpp>

#include "tests/profiler/gpu_recording.hpp"

namespace orrery::test {
namespace {

const std::string kNcclProgram = ORRERY_BIN_DIR "/nccl_program";

struct Imported {
    std::vector<CollectiveView> collectives;
    std::vector<ProcessGroupInfo> groups;
    std::map<std::int64_t, std::string> kernelOf;  ///< kernel's name by collective
};

Imported recordNccl(const std::string& version, const std::string& options) {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kNcclProgram + " " + version,
                                    "--nccl-plugin --cupti " + kFakeCupti + " " + options, "FAKE_CUPTI=" + kFakeCupti);
    INFO(run.output);
    REQUIRE(run.exitCode == 0);
    const auto job = folder / "job.db";
    const ProgramRun import =
        runProgram(ORRERY_BIN_DIR "/orrery import " + (folder / "out").string() + " -o " + job.string());
    INFO(import.output);
    REQUIRE(import.exitCode == 0);
    Imported out;
    const Profile profile(job);
    profile.forEachCollective([&](const CollectiveView& view) { out.collectives.push_back(view); });
    out.groups = profile.processGroups();
    profile.forEachKernel([&](const KernelView& kernel) {
        if (kernel.collectiveId) out.kernelOf[*kernel.collectiveId] = std::string(kernel.name);
    });
    return out;
}

}  // namespace

TEST_CASE("NCCL's calls arrive with communicator, sequence, algorithm, protocol and bytes, on their kernels",
          "[nccl]") {
    const int version = GENERATE(1, 2, 3, 4, 5, 6);
    CAPTURE(version);
    const Imported job = recordNccl(std::to_string(version), "");
    REQUIRE(job.collectives.size() == (version >= 4 ? 3 : 2));
    const CollectiveView& reduce = job.collectives[0];
    CHECK(reduce.kind == OpClass::allReduce);
    CHECK(reduce.bytes == 4096);
    CHECK(reduce.sequence == 5);
    CHECK(reduce.algorithm == "RING");
    CHECK(reduce.protocol == "LL");
    CHECK(reduce.dtype == "ncclFloat32");
    CHECK(reduce.duration == Approx(5000).margin(2));  // the kernel's, not the call's
    CHECK(job.kernelOf.at(reduce.id).starts_with("ncclDevKernel_AllReduce"));
    const CollectiveView& send = job.collectives[1];
    CHECK(send.kind == OpClass::sendRecv);
    CHECK(send.bytes == 1024);
    CHECK(send.peer == 3);
    REQUIRE(job.groups.size() == 1);
    CHECK(job.groups[0].name == "0xfedcba9876543210");
    CHECK(job.groups[0].description == "tp");
    CHECK(reduce.groupId == job.groups[0].id);
    if (version < 4) return;  // earlier versions do not tell the size of a communicator
    CHECK(job.groups[0].size == 8);
    CHECK(reduce.groupSize == 8);
    CHECK(job.collectives[2].bytes == 800);  // an all-gather is called with one rank's share
    CHECK(job.collectives[2].algorithm == "NVLS");
}

TEST_CASE("without kernels the calls of NCCL are kept as the host saw them", "[nccl]") {
    const Imported job = recordNccl("5", "--gpu none");
    REQUIRE(job.collectives.size() == 3);
    CHECK(job.collectives[0].kind == OpClass::allReduce);
    CHECK(job.collectives[0].duration.has_value());
    CHECK(job.kernelOf.empty());
}

TEST_CASE("the plugin goes by the name that NCCL looks for", "[nccl]") {
    const std::filesystem::path plugin = ORRERY_LIB_DIR "/libnccl-profiler-orrery.so";
    REQUIRE(std::filesystem::exists(plugin));
    CHECK(std::filesystem::equivalent(plugin, kLibrary));  // the same file: one recorder in a process
}

TEST_CASE("another profiler plugin of NCCL is not pushed aside", "[nccl]") {
    const TempFolder folder;
    const ProgramRun run = runAgent(folder, kNcclProgram + " 5", "--nccl-plugin", "NCCL_PROFILER_PLUGIN=inspector");
    CHECK(run.exitCode == 2);
    CHECK(run.output.find("inspector") != std::string::npos);
}

}  // namespace orrery::test
