#include "profiler/workload/scenario_file.hpp"

#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/units/input_error.hpp"
#include "profiler/workload/batch.hpp"

namespace orrery::workload {

void writeScenario(const std::filesystem::path& file, const JobConfig& config, int step) {
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
        step, m.layers, m.hidden, m.heads, m.kvHeads, m.headDim(), m.ffn, m.vocab, world, world, config.pp, config.dp,
        config.schedule == Schedule::gpipe ? "gpipe" : "1f1b", fmt::join(stageLayers(config), ", "),
        config.tokensPerMicroBatch);
    for (const auto& replica : Corpus(config).documents(step).replicas) {
        text += "  [\n";
        for (const auto& microBatch : replica)
            text += fmt::format("    [{}],\n", fmt::join(microBatch.documents, ", "));
        text += "  ],\n";
    }
    text += "]\n";
    std::ofstream out(file);
    out << text;
    if (!out.flush())
        throw InputError(fmt::format("{}: cannot be written; name a file in a folder that exists", file.string()));
}

}  // namespace orrery::workload
