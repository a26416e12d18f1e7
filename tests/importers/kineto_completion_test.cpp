// Steps of kernels, collectives' metadata, memory, waits, host operators, ranks that a user names.
#include <map>

#include <catch2/catch.hpp>

#include "importers/collectives/nccl_kernel.hpp"
#include "model/units/input_error.hpp"
#include "tests/importers/imported.hpp"
#include "tests/support/shared_data.hpp"

using namespace orrery;
using namespace orrery::test;
using Catch::Contains;

namespace {

std::string event(const std::string& category, const std::string& name, int start, int duration,
                  const std::string& arguments = "", int tid = 1) {
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                       category, name, tid, start, duration, arguments);
}

std::string kernel(const std::string& name, int start, int correlation, const std::string& extra = "") {
    return event("kernel", name, start, 5,
                 fmt::format(R"("device":0,"stream":7,"correlation":{}{})", correlation, extra));
}

std::map<std::string, std::optional<std::int64_t>> stepsByKernel(const Imported& job) {
    std::map<std::string, std::optional<std::int64_t>> steps;
    for (const auto& seen : job.kernels()) steps[seen.name] = seen.row.step;
    return steps;
}

CollectiveView onlyCollective(const Imported& job) {
    std::vector<CollectiveView> seen;
    job.profile().forEachCollective([&](const CollectiveView& view) { seen.push_back(view); });
    REQUIRE(seen.size() == 1);
    return seen[0];
}

}  // namespace

TEST_CASE("a kernel belongs to the step of its launch, not of its time", "[kineto][steps]") {
    const Imported job(trace(joined(
        {kernel("late", 250, 1), kernel("second", 260, 2), kernel("outside", 270, 3), kernel("unlaunched", 280, 4),
         event("cuda_runtime", "cudaLaunchKernel", 150, 2, R"("correlation":1)"),
         event("cuda_driver", "cuLaunchKernel", 220, 2, R"("correlation":2)"),
         event("cuda_runtime", "cudaLaunchKernel", 400, 2, R"("correlation":3)"),
         event("user_annotation", "ProfilerStep#5", 100, 100), event("user_annotation", "ProfilerStep#6", 201, 100)})));
    auto steps = stepsByKernel(job);
    CHECK(steps["late"] == 5);
    CHECK(steps["second"] == 6);
    CHECK(steps["outside"] == std::nullopt);
    CHECK(steps["unlaunched"] == std::nullopt);
}

TEST_CASE("without launch rows the step that the device saw holds", "[kineto][steps]") {
    const Imported job(trace(
        joined({R"({"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#3","pid":0,"tid":7,"ts":100,"dur":100})",
                kernel("inside", 150, 1), kernel("after", 250, 2)})));
    auto steps = stepsByKernel(job);
    CHECK(steps["inside"] == 3);
    CHECK(steps["after"] == std::nullopt);
}

TEST_CASE("every kernel of a real trace with steps has one", "[kineto][steps]") {
    const auto file = sharedData("traces/kineto/hta_nccl_2gpu.json.gz");
    if (!file) return;
    const TempFolder folder;
    {
        ProfileWriter writer(folder / "job.db");
        importers::importPaths({*file}, writer, {});
        writer.finish();
    }
    std::int64_t with = 0;
    std::int64_t all = 0;
    Profile(folder / "job.db").forEachKernel([&](const KernelView& view) {
        ++all;
        if (view.step) ++with;
    });
    CHECK(all == 2700);
    CHECK(with == all);
}

TEST_CASE("collectives have size, group, type and algorithm; what is not said stays unknown", "[kineto][collectives]") {
    const auto known = onlyCollective(Imported(trace(kernel(
        "ncclDevKernel_AllGather_RING_LL128(ncclDevKernelArgsStorage<4096ul>)", 1, 1,
        R"(,"Collective name":"_allgather_base","In msg nelems":10,"Out msg nelems":80,"Group size":8,"dtype":"BFloat16",)"
        R"("Process Group Name":"3","Process Group Ranks":"[0, 1, ..., 7]","Seq":12)"))));
    CHECK(known.kind == OpClass::allGather);
    CHECK(known.bytes == 160);
    CHECK(known.groupSize == 8);
    CHECK(known.dtype == "BFloat16");
    CHECK(known.algorithm == "RING");
    CHECK(known.protocol == "LL128");
    CHECK(known.sequence == 12);
    const auto unknown =
        onlyCollective(Imported(trace(kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage)", 1, 1,
                                             R"(,"In msg nelems":0,"Out msg nelems":0,"dtype":"Byte")"))));
    CHECK(unknown.kind == OpClass::sendRecv);
    CHECK_FALSE(unknown.bytes);
    CHECK_FALSE(unknown.groupSize);
    CHECK_FALSE(unknown.groupId);
    CHECK(unknown.algorithm.empty());
}

TEST_CASE("RCCL's generic kernels are of the collective that PyTorch names", "[kineto][collectives]") {
    const Imported job(trace(kernel("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 1, 1,
                                    R"(,"Collective name":"reduce_scatter_tensor_coalesced","Group size":4)")));
    CHECK(onlyCollective(job).kind == OpClass::reduceScatter);
    CHECK(job.kernels().at(0).row.cls == OpClass::reduceScatter);
    CHECK(importers::ncclKernel("ncclKernel_AllReduce_TREE_SIMPLE_Sum_half").algorithm == "TREE");
    CHECK(importers::ncclKernel("ncclKernel_AllReduce_TREE_SIMPLE_Sum_half").protocol == "SIMPLE");
    CHECK(importers::ncclKernel("void STRING_LL_kernel()").algorithm.empty());
    CHECK(importers::collectiveClass("all_to_allv") == OpClass::allToAll);
    CHECK_FALSE(importers::collectiveClass("gemm"));
}

TEST_CASE("arguments given twice and unreadable times are told with their place", "[kineto][malformed]") {
    const Imported job(trace(joined({kernelEvent("a", "1", R"(,"stream":9)"), kernelEvent("b", "\"soon\"")})));
    CHECK_THAT(job.warnings(), Contains("1 event gives an argument twice, the last is taken (at byte 34)"));
    CHECK_THAT(job.warnings(), Contains("1 event has no readable time and is left out (at byte "));
}

TEST_CASE("allocations are marks with what the allocator said; waits have their own table", "[kineto]") {
    const Imported job(trace(
        joined({R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":9,"tid":9,"ts":5,"args":{)"
                R"("Total Reserved":200,"Total Allocated":100,"Bytes":-64,"Addr":4096,"Device Id":0,"Device Type":1}})",
                event("cuda_sync", "Stream Wait Event", 7, 0,
                      R"("stream":20,"context":1,"correlation":3,"wait_on_cuda_event_id":4)"),
                event("cuda_sync", "Context Sync", 8, 2, R"("stream":-1,"context":1)")})));
    std::int64_t bytes = 0;
    job.profile().forEachRange([&](const RangeView& view) {
        CHECK(view.kind == RangeKind::mark);
        CHECK(view.category == "memory");
        bytes = view.integer("bytes").value_or(0);
        CHECK(view.integer("total_reserved") == 200);
    });
    CHECK(bytes == -64);
    CHECK(job.profile().count("synchronizations") == 2);
}

TEST_CASE("operators and calls of the host are rows when asked for, with their depths", "[kineto]") {
    const TempFolder folder;
    const auto file =
        folder.write("t.json", trace(joined({event("cpu_op", "inner", 20, 5), event("cpu_op", "outer", 10, 100),
                                             event("python_function", "innermost", 21, 1),
                                             event("cuda_runtime", "cudaLaunchKernel", 22, 1, R"("correlation":1)")})));
    const auto import = [&](bool host, const char* name) {
        ProfileWriter writer(folder / name);
        importers::Progress progress;
        progress.hostOperators = host;
        importers::importPaths({file}, writer, progress);
        writer.finish();
    };
    import(false, "without.db");
    import(true, "with.db");
    CHECK(Profile(folder / "without.db").count("ranges") == 0);
    CHECK(Profile(folder / "without.db").count("api_calls") == 0);
    const Profile with(folder / "with.db");
    CHECK(with.count("api_calls") == 1);
    std::map<std::string, int> depths;
    with.forEachRange([&](const RangeView& view) { depths[std::string(view.name)] = view.depth; });
    CHECK(depths == std::map<std::string, int>{{"outer", 0}, {"inner", 1}, {"innermost", 2}});
}

TEST_CASE("ranks that a user names go over what files say; a wrong number of them is refused", "[kineto]") {
    const TempFolder folder;
    const std::vector files{folder.write("a.json", trace(kernelEvent("k"))),
                            folder.write("b.json", trace(kernelEvent("k")))};
    {
        ProfileWriter writer(folder / "job.db");
        const auto summary = importers::importPaths(files, writer, {}, {7, 3});
        CHECK(summary.warnings.empty());
        writer.finish();
    }
    const auto ranks = Profile(folder / "job.db").ranks();
    REQUIRE(ranks.size() == 2);
    CHECK(ranks[0].rank == 7);
    CHECK(ranks[1].rank == 3);
    ProfileWriter writer(folder / "wrong.db");
    CHECK_THROWS_WITH(importers::importPaths(files, writer, {}, {1}), Contains("the files hold 2 recorded processes"));
    ProfileWriter twice(folder / "twice.db");
    CHECK_THROWS_WITH(importers::importPaths(files, twice, {}, {1, 1}), Contains("named twice"));
}
