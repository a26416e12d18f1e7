// CSV by RFC 4180, and the two tables of published measurements.
#include <string>

#include <catch2/catch.hpp>

#include "data/published/csv_table.hpp"
#include "data/published/kernels_csv.hpp"
#include "data/published/measured_step.hpp"
#include "data/published/training_csv.hpp"
#include "data/published/training_row_to_scenario.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string errorOf(const std::string& text) {
    try {
        (void)CsvTable::parse("t.csv", text);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

const std::string kKernelHeader =
    "kind,gpu,gpus,nodes,link,m,n,k,groups,batch,heads,kv_heads,seq,head_dim,v_head_dim,causal,dtype,out_dtype,layout,"
    "bytes,algbw_GBps,busbw_GBps,time_us,tflops,impl,source,source_locator,notes\n";

KernelsCsv kernels(const std::string& row) {
    return readKernelsCsv(CsvTable::parse("k.csv", kKernelHeader + row + "\n"));
}

TrainingRow gptRow(const std::string& id) {
    TrainingRow row;
    row.id = id;
    row.place = "t.csv:2";
    row.gpu = "A100-80";
    row.framework = "Megatron-LM";
    row.attentionKind = "mha";
    row.complete = 2;
    row.layers = 24;
    row.hidden = 2304;
    row.heads = 24;
    row.headDim = 96;
    row.ffnHidden = 9216;
    row.vocab = 51200;
    row.sequence = 2048;
    row.gpus = 32;
    row.gpusPerNode = 8;
    row.tp = 1;
    row.pp = 1;
    row.microBatch = 16;
    row.globalBatch = 512;
    row.recompute = "full";
    return row;
}

std::optional<GpuSpec> lookup(std::string_view name) {
    GpuSpec gpu;
    gpu.name = name;
    gpu.peaks[DType::fp16] = 312_TFLOPps;
    gpu.memoryBandwidth = 2039_GBps;
    gpu.memory = 80_GiB;
    return gpu;
}

}  // namespace

TEST_CASE("quotes, doubled quotes, line breaks and CRLF are read by RFC 4180", "[csv]") {
    const CsvTable table = CsvTable::parse("t.csv", "a,b\r\n\"x, \"\"y\"\"\",\"two\nlines\"\r\n,2.5\r\n");
    REQUIRE(table.size() == 2);
    CHECK(table.row(0).text("a") == "x, \"y\"");
    CHECK(table.row(0).text("b") == "two\nlines");
    CHECK(!table.row(1).number("a"));
    CHECK(table.row(1).number("b") == 2.5);
    CHECK(table.row(1).place() == "t.csv:4");  // the quoted line break counts
}

TEST_CASE("a malformed table is refused with the place and the mend", "[csv]") {
    CHECK_THAT(errorOf(""), Contains("empty file"));
    CHECK_THAT(errorOf("a,b\n1\n"), Contains("t.csv:2: 1 fields where the header has 2"));
    CHECK_THAT(errorOf("a,b\n1,\"open\n"), Contains("t.csv:2: a quoted field is never closed"));
    CHECK_THAT(errorOf("a,b\n\"x\"y,1\n"), Contains("t.csv:2: text after a closing quote"));
    CHECK_THAT(errorOf("a,a\n"), Contains("column 'a' appears twice"));
    CHECK_THAT(errorOf(std::string("SQLite\0\0", 8)), Contains("binary data"));
    CHECK_THROWS_AS(CsvTable::read("/nonexistent/x.csv"), InputError);
}

TEST_CASE("numbers that are none are refused with line and column", "[csv]") {
    const CsvTable table = CsvTable::parse("t.csv", "a\n12x\n1.5\n1e400\n");
    CHECK_THROWS_WITH(table.row(0).number("a"), "t.csv:2: column 'a': '12x' is not a number");
    CHECK_THROWS_WITH(table.row(1).integer("a"), "t.csv:3: column 'a': '1.5' is not a whole number");
    CHECK_THROWS_AS(table.row(2).number("a"), InputError);
    CHECK_THROWS_WITH(table.row(0).text("b"), "t.csv: there is no column 'b' in the header line");
}

TEST_CASE("a GEMM row becomes a sample with exact work, and its time follows from the rate", "[kernels]") {
    const KernelsCsv read =
        kernels("gemm,B200,1,1,,4096,8192,1024,,1,,,,,,,bf16,bf16,NN,,,,,1000,\"TE/cuBLAS, x\",s,l,");
    REQUIRE(read.samples.kernels.size() == 1);
    const KernelSample& s = read.samples.kernels[0];
    CHECK(s.device == "B200");
    CHECK(s.op.pass == Pass::backwardInput);
    CHECK(s.op.flops.value() == 2.0 * 4096 * 8192 * 1024);
    CHECK(s.op.bytes.value() == 2.0 * (4096.0 * 1024 + 1024.0 * 8192 + 4096.0 * 8192));
    CHECK(s.time.value() == Approx(s.op.flops.value() / 1e15));
}

TEST_CASE("attention rates are taken with the FLOPs their source counts", "[kernels]") {
    // SimuMax prints the full square for a causal kernel, FlashAttention half of it.
    const auto row = [](const std::string& impl) {
        return kernels("attention_fwd,A100-80,1,1,,,,,,2,16,16,4096,128,128,1,bf16,,,,,,,100," + impl + ",s,l,");
    };
    const Seconds full = row("TE fused attention").samples.kernels.at(0).time;
    const Seconds half = row("FlashAttention-2").samples.kernels.at(0).time;
    CHECK(full / half == Approx(2.0));
    CHECK(half.value() == Approx(2.0 * 4096 * 4096 * 2 * 16 * 128 / 100e12));
}

TEST_CASE("a collective's time is printed, or follows from the algorithm bandwidth", "[kernels]") {
    const KernelsCsv read = kernels("allreduce,H100-SXM,16,2,NVLink,,,,,,,,,,,,float,,,1000000,20,,,,nccl-tests,s,l,");
    REQUIRE(read.samples.collectives.size() == 1);
    CHECK(read.samples.collectives[0].nodes == 2);
    CHECK(read.samples.collectives[0].time.value() == Approx(50e-6));
}

TEST_CASE("rows without a device, shape or time are counted by reason, bad numbers refused by line", "[kernels]") {
    CHECK(kernels("gemm,,1,1,,8,8,8,,1,,,,,,,bf16,,,,,,,1,x,s,l,").skipped.at("GPU not named") == 1);
    CHECK(kernels("gemm,B200,1,1,,8,8,8,,1,,,,,,,bf16,,,,,,,,x,s,l,").skipped.at("neither time nor rate") == 1);
    CHECK_THROWS_WITH(kernels("gemm,B200,1,1,,-8,8,8,,1,,,,,,,bf16,,,,,,,1,x,s,l,"),
                      Contains("k.csv:2: column 'm' must be a positive whole number"));
}

TEST_CASE("device classes of tables stand for the board named in docs/model.md", "[kernels]") {
    CHECK(catalogDeviceName("H100-class (sm_90, device not named)") == "H100-SXM");
    CHECK(catalogDeviceName("MI300-class (gfx942, device not named)") == "MI300X");
    CHECK(catalogDeviceName("B200") == "B200");
    CHECK(catalogDeviceName("see notes").empty());
}

TEST_CASE("a printed TFLOP/s gives the step by its source's own convention", "[training]") {
    // Narayanan et al. 2021, eq. 3: 96 B s L h^2 (1 + s/6h + V/16Lh), with the recomputed forward counted.
    TrainingRow row = gptRow("sc21-t1-1");
    row.tflopsPerGpu = 137.0;
    const double B = 512, s = 2048, L = 24, h = 2304, V = 51200;
    const double flops = 96 * B * s * L * h * h * (1 + s / (6 * h) + V / (16 * L * h));
    const auto step = measuredStep(row);
    REQUIRE(step);
    CHECK(step->basis == "TFLOP/s");
    CHECK(step->step.value() == Approx(flops / (32 * 137e12)).epsilon(1e-9));

    row.id = "korthikanti-1";  // model FLOPs: 72 ... V/12Lh
    const double model = 72 * B * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h));
    CHECK(measuredStep(row)->step.value() == Approx(model / (32 * 137e12)).epsilon(1e-9));

    row.tokensPerSecondPerGpu = 10000.0;
    CHECK(measuredStep(row)->basis == "tokens/s");
    row.stepSeconds = 3.0;
    CHECK(measuredStep(row)->step == 3_s);
}

TEST_CASE("what a row leaves open is assumed in the open", "[training]") {
    TrainingRow row = gptRow("sc21-t1-1");
    row.stepSeconds = 3.0;
    row.recompute.clear();
    row.vpp.reset();
    const RowScenario result = toScenario(row, lookup);
    CHECK(result.scenario.plan.dp == 32);
    CHECK(result.scenario.plan.recompute == Recompute::none);
    CHECK(result.scenario.workload.microBatches() == 1);
    CHECK(result.scenario.cluster.links.size() == 2);
    const auto has = [&](const std::string& text) {
        return std::find(result.assumptions.begin(), result.assumptions.end(), text) != result.assumptions.end();
    };
    CHECK(has("recompute blank: none"));
    CHECK(has("vpp blank: not interleaved"));
    CHECK(has("network blank: 200 Gbit/s per GPU"));
}

TEST_CASE("rows with experts and latent attention become such models and plans", "[training]") {
    TrainingRow row = gptRow("mcoremoe-1");
    row.experts = 8;
    row.topK = 2;
    row.expertFfn = 1024;
    row.ep = 4;
    row.attentionKind = "mla";
    row.framework = "Megatron-Core";
    const Scenario scenario = toScenario(row, lookup).scenario;
    CHECK(scenario.model.moe.experts == 8);
    CHECK(scenario.model.moe.ffnHidden == 1024);
    CHECK(scenario.model.attention == AttentionKind::latent);
    CHECK(scenario.model.mtpLayers == 1);
    CHECK(scenario.plan.ep == 4);
    CHECK(scenario.plan.expertDispatch == ExpertDispatch::deduplicated);
}

TEST_CASE("rows say in the model's name that tokens are dropped, or that the loss is fused", "[training]") {
    TrainingRow row = gptRow("mbridge-1");
    row.experts = 8;
    row.topK = 2;
    row.framework = "Megatron-LM";
    CHECK(toScenario(row, lookup).scenario.model.moe.capacityFactor == 0.0);
    CHECK_FALSE(toScenario(row, lookup).scenario.plan.fusedCrossEntropy);
    row.modelName = "Qwen3_30B_a3B (tokendrop)";
    CHECK(toScenario(row, lookup).scenario.model.moe.capacityFactor == 1.0);
    row.modelName = "llama3_70b_tp2_cef";
    CHECK(toScenario(row, lookup).scenario.plan.fusedCrossEntropy);
}

TEST_CASE("incomplete rows and rows that contradict themselves are told apart", "[training]") {
    TrainingRow row = gptRow("x-1");
    row.stepSeconds = 3.0;
    CHECK(whyNotPredictable(row).empty());
    row.complete = 0;
    CHECK_THAT(whyNotPredictable(row), Contains("incomplete"));
    row.complete = 1;
    row.tp = 3;
    CHECK_THROWS_WITH(toScenario(row, lookup), Contains("t.csv:2: 32 GPUs are not a multiple of tp x pp x cp = 3"));
}
