// Kernel classes of real traces: on jobs of language models at most 2 % of kernel time may stay unclassified.
#include <cstdio>
#include <map>

#include <catch2/catch.hpp>

#include "data/catalog/kernel_rules.hpp"
#include "data/store/profile.hpp"
#include "importers/import_paths.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using namespace orrery::test;

namespace {

std::map<OpClass, std::int64_t> timeByClass(const std::filesystem::path& file) {
    const TempFolder folder;
    {
        ProfileWriter writer(folder / "job.db");
        importers::importPaths({file}, writer, {});
        writer.finish();
    }
    std::map<OpClass, std::int64_t> time;
    Profile(folder / "job.db").forEachKernel([&](const KernelView& kernel) { time[kernel.cls] += kernel.duration; });
    return time;
}

}  // namespace

TEST_CASE("at most 2 % of kernel time is unclassified on traces of real jobs", "[kernels][facts]") {
    const std::string file =
        GENERATE(as<std::string>{}, "kineto/tracelens_h100_qwen05b.json.gz", "kineto/tracelens_mi300_qwen05b.json.gz",
                 "kineto/tracelens_b200_8rank_eager.json.gz", "nsys/nsysai_2gpu_mfu_before.sqlite",
                 "kineto/hta_nccl_2gpu.json.gz", "kineto/hta_diff/control.json.gz", "kineto/hta_diff/test.json.gz",
                 "kineto/param_resnet.json.gz", "kineto/hta_dlrm_2ranks/rank-0.json.gz");
    const auto path = sharedData("traces/" + file);
    if (!path) return;
    std::int64_t total = 0;
    const auto time = timeByClass(*path);
    for (const auto& [cls, ns] : time) total += ns;
    REQUIRE(total > 0);
    const auto other = time.contains(OpClass::other) ? time.at(OpClass::other) : 0;
    const double share = 100.0 * static_cast<double>(other) / static_cast<double>(total);
    std::printf("%-45s other %.3f %% of kernel time:", file.c_str(), share);
    for (const auto& [cls, ns] : time) {
        std::printf(" %s %.1f", std::string(name(cls)).c_str(),
                    100.0 * static_cast<double>(ns) / static_cast<double>(total));
    }
    std::printf("\n");
    CHECK(share <= 2.0);
}

TEST_CASE("kernels that other rules could take are of their own class", "[kernels]") {
    CHECK(classifyKernel("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(...)") ==
          OpClass::allReduce);
    CHECK(classifyKernel("bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_swiGlu_dynBatch_sm100f") == OpClass::groupedGemm);
    CHECK(classifyKernel("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(...)") == OpClass::copy);
    CHECK(classifyKernel("void tensorrt_llm::kernels::quantize_with_block_size<...>(...)") == OpClass::elementwise);
    CHECK(classifyKernel("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_3") == OpClass::norm);
    CHECK(classifyKernel("triton_tem_fused_mm_5") == OpClass::gemm);
    CHECK(classifyKernel("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<...>") ==
          OpClass::optimizer);
    CHECK(classifyKernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
          OpClass::reduceScatter);
    CHECK(classifyKernel("_ZN2at6native5saxpy") == OpClass::elementwise);
    CHECK(classifyKernel("my_own_kernel") == OpClass::other);
}
