#include "profiler/workload/description.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "model/units/input_error.hpp"

namespace orrery::workload {
namespace {

using Json = nlohmann::ordered_json;

const char* scheduleName(Schedule schedule) {
    return schedule == Schedule::gpipe ? "gpipe" : "1f1b";
}

Json jobJson(const JobConfig& config) {
    const TransformerConfig& m = config.model;
    return {{"layers", m.layers},
            {"hidden", m.hidden},
            {"heads", m.heads},
            {"kv_heads", m.kvHeads},
            {"ffn", m.ffn},
            {"vocab", m.vocab},
            {"pp", config.pp},
            {"dp", config.dp},
            {"layers_per_stage", stageLayers(config)},
            {"schedule", scheduleName(config.schedule)},
            {"micro_batches", config.microBatches},
            {"tokens_per_micro_batch", config.tokensPerMicroBatch},
            {"seed", config.seed}};
}

}  // namespace

StepTimes measuredTimes(const JobConfig& config, const std::vector<StepResult>& results) {
    std::vector<double> seconds;
    for (std::size_t i = static_cast<std::size_t>(config.warmup); i < results.size(); ++i) {
        seconds.push_back(results[i].seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    const std::size_t n = seconds.size();
    return {(seconds[n / 2] + seconds[(n - 1) / 2]) / 2.0, seconds.front(), seconds.back()};
}

std::string resultsJson(const JobConfig& config, const std::vector<StepResult>& results) {
    Json steps = Json::array();
    for (std::size_t i = 0; i < results.size(); ++i) {
        steps.push_back(Json{{"step", i},
                             {"warmup", i < static_cast<std::size_t>(config.warmup)},
                             {"loss", results[i].loss},
                             {"seconds", results[i].seconds}});
    }
    const StepTimes times = measuredTimes(config, results);
    return Json{{"job", jobJson(config)},
                {"median_step_s", times.median},
                {"min_step_s", times.smallest},
                {"max_step_s", times.largest},
                {"steps", steps}}
        .dump();
}

std::string documentsJson(const JobConfig& config, const Corpus& corpus) {
    Json steps = Json::array();
    for (int step = 0; step < config.allSteps(); ++step) {
        Json replicas = Json::array();
        for (const auto& replica : corpus.documents(step).replicas) {
            Json microBatches = Json::array();
            for (const auto& microBatch : replica) microBatches.push_back(microBatch.documents);
            replicas.push_back(microBatches);
        }
        steps.push_back(Json{{"step", step}, {"warmup", step < config.warmup}, {"replicas", replicas}});
    }
    return Json{{"job", jobJson(config)}, {"steps", steps}}.dump() + "\n";
}

std::string scenarioToml(const JobConfig& config, const Corpus& corpus) {
    const TransformerConfig& m = config.model;
    const int world = config.pp * config.dp;
    std::string text = fmt::format(
        "# The job that orrery-workload ran, step {}; its documents are listed as they were packed.\n"
        "[model]\nname = \"orrery-workload\"\nlayers = {}\nhidden = {}\nheads = {}\nkv_heads = {}\nhead_dim = {}\n"
        "ffn_hidden = {}\ngated_mlp = true\nvocab = {}\ntied_embeddings = false\n\n"
        "[cluster]\ngpu = \"cpu\"\ngpus = {}\ngpus_per_node = {}\n\n"
        "[plan]\ntp = 1\npp = {}\ndp = {}\nschedule = \"{}\"\nrecompute = \"none\"\nprecision = \"fp32\"\n"
        "parameter_type = \"fp32\"\ngradient_type = \"fp32\"\nlayers_per_stage = [{}]\n\n"
        "[workload]\nsequence_length = {}\ndocuments = [\n",
        config.warmup, m.layers, m.hidden, m.heads, m.kvHeads, m.headDim(), m.ffn, m.vocab, world, world, config.pp,
        config.dp, scheduleName(config.schedule), fmt::join(stageLayers(config), ", "), config.tokensPerMicroBatch);
    for (const auto& replica : corpus.documents(config.warmup).replicas) {
        text += "  [\n";
        for (const auto& microBatch : replica) {
            text += fmt::format("    [{}],\n", fmt::join(microBatch.documents, ", "));
        }
        text += "  ],\n";
    }
    return text + "]\n";
}

void writeFile(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::path beside = file;
    beside += ".part";
    std::ofstream out(beside, std::ios::binary);
    out << text;
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(beside, file, error);
    if (!out || error) {
        std::error_code ignored;
        std::filesystem::remove(beside, ignored);
        throw InputError(fmt::format("{}: cannot be written; name a file in a folder that exists", file.string()));
    }
}

}  // namespace orrery::workload
