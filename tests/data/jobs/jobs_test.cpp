// Jobs as other programs describe them: sizes of known models, and plans that survive the way there and back.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/catalog/catalog.hpp"
#include "data/jobs/hugging_face_config.hpp"
#include "data/jobs/megatron_arguments.hpp"
#include "data/jobs/read_job.hpp"
#include "data/jobs/scenario_text.hpp"
#include "data/jobs/shell_words.hpp"
#include "data/jobs/torchtitan_config.hpp"
#include "data/scenario/scenario_file.hpp"
#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"
#include "tests/model/laws/draw.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

// The sizes that these models' config.json files state (huggingface.co); keys that no cost depends on are left out.
struct Published {
    const char* preset;
    const char* config;
};
const Published kPublished[] = {
    {"llama3-8b", R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_act":"silu","hidden_size":4096,
        "intermediate_size":14336,"max_position_embeddings":8192,"num_attention_heads":32,"num_hidden_layers":32,
        "num_key_value_heads":8,"tie_word_embeddings":false,"vocab_size":128256,"rope_theta":500000.0})"},
    {"llama3-70b", R"({"model_type":"llama","hidden_size":8192,"intermediate_size":28672,"num_attention_heads":64,
        "num_hidden_layers":80,"num_key_value_heads":8,"tie_word_embeddings":false,"vocab_size":128256})"},
    {"mixtral-8x7b", R"({"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
        "num_experts_per_tok":2,"num_hidden_layers":32,"num_key_value_heads":8,"num_local_experts":8,
        "sliding_window":null,"tie_word_embeddings":false,"vocab_size":32000})"},
    {"qwen3-235b-a22b", R"({"model_type":"qwen3_moe","decoder_sparse_step":1,"head_dim":128,"hidden_size":4096,
        "intermediate_size":12288,"max_window_layers":94,"moe_intermediate_size":1536,"num_attention_heads":64,
        "num_experts":128,"num_experts_per_tok":8,"num_hidden_layers":94,"num_key_value_heads":4,"sliding_window":null,
        "tie_word_embeddings":false,"use_sliding_window":false,"vocab_size":151936})"},
    {"deepseek-v3",
     R"({"model_type":"deepseek_v3","first_k_dense_replace":3,"hidden_size":7168,"intermediate_size":18432,
        "kv_lora_rank":512,"moe_intermediate_size":2048,"moe_layer_freq":1,"n_routed_experts":256,"n_shared_experts":1,
        "num_attention_heads":128,"num_experts_per_tok":8,"num_hidden_layers":61,"num_key_value_heads":128,
        "num_nextn_predict_layers":1,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,
        "tie_word_embeddings":false,"vocab_size":129280})"},
};

JobDescription throughMegatron(const JobDescription& job) {
    return parseMegatronArguments(fmt::format("python pretrain_gpt.py {}", fmt::join(megatronArguments(job), " \\\n")),
                                  "args");
}

std::string errorOf(const std::string& text) {
    try {
        (void)parseMegatronArguments(text, "run.sh");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

const std::string kSmall = "--num-layers 4 --hidden-size 256 --num-attention-heads 4 ";

}  // namespace

TEST_CASE("config.json of published models has the parameters of the catalog's entries", "[jobs]") {
    const Catalog catalog;
    for (const auto& [preset, config] : kPublished) {
        INFO(preset);
        const JobDescription job = parseHuggingFaceConfig(config, "config.json");
        CHECK_NOTHROW(validate(job.model));
        CHECK(parameterCount(job.model) == Approx(parameterCount(catalog.model(preset))).epsilon(0.001));
        CHECK(job.model.kvHeads == catalog.model(preset).kvHeads);
        CHECK(job.model.moe.topK == catalog.model(preset).moe.topK);
    }
}

TEST_CASE("models of the catalog survive Megatron's arguments", "[jobs]") {
    const Catalog catalog;
    for (const std::string& name : catalog.modelNames()) {
        INFO(name);
        JobDescription job;
        job.model = catalog.model(name);
        if (!job.model.layerPattern.empty()) continue;  // sizes of Mamba layers have flags of their own kind
        job.plan = ParallelPlan{};
        job.sequenceLength = 2048;  // as long as the shortest table of learned positions
        const JobDescription back = throughMegatron(job);
        CHECK(parameterCount(back.model) == Approx(parameterCount(job.model)).epsilon(1e-9));
        CHECK(back.model.attention == job.model.attention);
        CHECK(back.model.moe.denseLayers == job.model.moe.denseLayers);
    }
}

TEST_CASE("any plan that Megatron-LM has flags for survives them", "[jobs]") {
    CHECK(rc::check("round trip", [] {
        JobDescription job;
        job.model = laws::drawModel();
        job.model.layerPattern.clear();
        job.model.stateSpace = {};
        job.model.moe.loadImbalance = 1.0;
        ParallelPlan plan = laws::drawPlan(job.model);
        const bool interleaved = plan.pp > 1 && *rc::gen::arbitrary<bool>();
        plan.schedule = interleaved ? ScheduleKind::interleaved : ScheduleKind::oneFOneB;
        plan.vpp = interleaved ? 2 : 1;
        plan.dp = 1;
        if (plan.recompute != Recompute::selective) plan.recomputeModules = kRecomputeCoreAttention;
        if (plan.cpAllToAll == plan.cp || plan.cpAllToAll > 1) plan.contextComm = ContextComm::ring;
        if (plan.cp == 1) plan.contextComm = ContextComm::ring;
        plan.flashAttention = true;
        if (job.model.moe.experts == 0) plan.ep = plan.etp = 1;
        if (plan.expertDispatch == ExpertDispatch::deduplicated && job.model.moe.experts == 0)
            plan.expertDispatch = ExpertDispatch::allToAll;
        plan.precision = *rc::gen::element(DType::bf16, DType::fp8);
        plan.fp8Recipe = plan.precision == DType::fp8 ? *rc::gen::element(Fp8Recipe::delayed, Fp8Recipe::current,
                                                                          Fp8Recipe::block, Fp8Recipe::mx)
                                                      : Fp8Recipe::delayed;
        plan.gradientType = *rc::gen::element(DType::bf16, DType::fp32);
        job.plan = plan;
        job.sequenceLength = 1024;
        job.globalBatch = 16;
        job.microBatch = 2;
        const JobDescription back = throughMegatron(job);
        RC_ASSERT(*back.plan == plan);
        RC_ASSERT(parameterCount(back.model) == parameterCount(job.model));
        RC_ASSERT(back.model.slidingWindow == job.model.slidingWindow);
        RC_ASSERT(back.model.mtpLayers == job.model.mtpLayers);
        RC_ASSERT(back.globalBatch == job.globalBatch);
        RC_ASSERT(back.microBatch == job.microBatch);
    }));
}

TEST_CASE("a layer map survives as Megatron's pipeline layout", "[jobs]") {
    JobDescription job;
    job.model = specs::llama8B();
    ParallelPlan plan = specs::plan(1, 2, 1);
    plan.vpp = 2;
    plan.schedule = ScheduleKind::interleaved;
    plan.layersPerStage = {7, 9, 9, 7};
    job.plan = plan;
    CHECK_THAT(fmt::format("{}", fmt::join(megatronArguments(job), "\n")), Contains("'Ettttttt|ttttttttt|"));
    CHECK(throughMegatron(job).plan->layersPerStage == plan.layersPerStage);
}

TEST_CASE("a scenario text reads back into the same specs", "[jobs]") {
    CHECK(rc::check("round trip", [] {
        JobDescription job;
        job.format = "a test";
        job.model = laws::drawModel();
        job.model.name = "with \"quotes\"";
        ParallelPlan plan = laws::drawPlan(job.model);
        if (plan.schedule == ScheduleKind::interleaved && job.model.layers % (plan.pp * 2) != 0) RC_DISCARD("layers");
        if (plan.recompute != Recompute::selective) plan.recomputeModules = kRecomputeCoreAttention;
        job.plan = plan;
        job.sequenceLength = 1024;
        job.globalBatch = 16 * plan.dp;
        job.microBatch = 2;
        const test::TempFolder folder;
        const std::string text = scenarioText(job, {"H100-SXM", plan.worldSize()});
        RC_LOG() << text;
        const Scenario scenario = readScenario(folder.write("s.toml", text));
        RC_ASSERT(scenario.plan == plan);
        RC_ASSERT(parameterCount(scenario.model) == parameterCount(job.model));
        RC_ASSERT(scenario.model.moe.loadImbalance == job.model.moe.loadImbalance);
        RC_ASSERT(scenario.model.slidingWindow == job.model.slidingWindow);
        RC_ASSERT(scenario.workload.replicas.front().front().documents.size() == 2U);
    }));
}

TEST_CASE("arguments are found inside a shell script with variables, arrays and continued lines", "[jobs]") {
    const std::string script = R"(#!/bin/bash
# launches training
TP=4
PP=${PP:-2}
export SEQ="4096"
GPT_ARGS=(
    --num-layers 32   # layers
    --hidden-size=4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention --num-query-groups 8
    --swiglu --normalization RMSNorm --disable-bias-linear
    --untie-embeddings-and-output-weights --position-embedding-type rope
    --vocab-size 128256 --hidden-dropout 0.0
)
PARALLEL="--tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP} --sequence-parallel \
  --num-layers-per-virtual-pipeline-stage 4"
torchrun --nproc_per_node 8 pretrain_gpt.py \
    "${GPT_ARGS[@]}" \
    $PARALLEL --seq-length $SEQ --micro-batch-size 1 --global-batch-size 256 --bf16 \
    --use-distributed-optimizer --data-path '/data/my corpus'
)";
    const JobDescription job = parseMegatronArguments(script, "run.sh");
    CHECK(parameterCount(job.model) == Approx(parameterCount(Catalog().model("llama3-8b"))).epsilon(0.001));
    CHECK(job.plan->tp == 4);
    CHECK(job.plan->pp == 2);
    CHECK(job.plan->vpp == 4);
    CHECK(job.plan->schedule == ScheduleKind::interleaved);
    CHECK(job.plan->sequenceParallel);
    CHECK(job.plan->sharding == Sharding::zero1);
    CHECK(job.sequenceLength == 4096);
    CHECK(job.globalBatch == 256);
}

TEST_CASE("wrong job descriptions are refused with what and the mend", "[jobs][wrong]") {
    CHECK_THAT(errorOf("--hidden-size 256"), Contains("--num-layers is missing"));
    CHECK_THAT(errorOf("--num-layers $LAYERS --hidden-size 8"), Contains("'$LAYERS'") && Contains("variable"));
    CHECK_THAT(errorOf(kSmall + "--seq-length"), Contains("--seq-length has no value"));
    CHECK_THAT(errorOf(kSmall + "--global-batch-size -3"), Contains("whole number"));
    CHECK_THAT(errorOf(kSmall + "--recompute-granularity selective --recompute-modules attn"), Contains("core_attn"));
    CHECK_THAT(errorOf(kSmall + "--num-experts 8 --moe-layer-freq '([1]*2+[0]*2)'"), Contains("not understood"));
    CHECK_THAT(errorOf(kSmall + "'open"), Contains("run.sh:1: a quote ' does not end"));
    CHECK(errorOf(kSmall).empty());
    CHECK_THROWS_WITH(parseHuggingFaceConfig("[1]", "config.json"), Contains("not a JSON object"));
    CHECK_THROWS_WITH(parseHuggingFaceConfig("{\"hidden_size\": 4}", "config.json"), Contains("num_hidden_layers"));
    CHECK_THROWS_WITH(parseHuggingFaceConfig("{\"num_hidden_layers\": \"x\"}", "config.json"),
                      Contains("whole number"));
    CHECK_THROWS_WITH(parseHuggingFaceConfig("{\"is_encoder_decoder\": true}", "c.json"), Contains("encoder-decoder"));
    const test::TempFolder folder;
    CHECK_THROWS_WITH(readJob(folder / "none"), Contains("no such file"));
    CHECK_THROWS_WITH(readJob(folder.write("a.txt", "hello")), Contains("neither a Hugging Face config.json"));
    CHECK_THROWS_WITH(readJob(folder.write("b.txt", "")), Contains("empty"));
    CHECK_THROWS_WITH(readJob(folder.write("c.txt", std::string("--num-layers\0 4", 15))), Contains("binary"));
}

TEST_CASE("torchtitan's configuration has the plan's degrees, and says what it has no key for", "[jobs]") {
    JobDescription job;
    job.model = specs::llama8B();
    ParallelPlan plan = specs::plan(2, 4, 8);
    plan.sharding = Sharding::zero3;
    plan.recompute = Recompute::full;
    job.plan = plan;
    job.microBatch = 1;
    job.globalBatch = 64;
    job.sequenceLength = 8192;
    const std::string text = torchtitanConfig(job);
    for (const char* line :
         {"data_parallel_shard_degree = 8", "tensor_parallel_degree = 2", "pipeline_parallel_degree = 4",
          "pipeline_parallel_schedule = \"1F1B\"", "pipeline_parallel_layers_per_stage = 8", "mode = \"full\"",
          "seq_len = 8192", "fsdp_reshard_after_forward = \"always\""})
        CHECK_THAT(text, Contains(line));
    CHECK_NOTHROW(parseToml(text, "torchtitan"));
    job.plan->schedule = ScheduleKind::vMin;
    CHECK_THAT(torchtitanConfig(job), Contains("# no key for the schedule 'v-min'"));
}
