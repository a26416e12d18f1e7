#include "data/published/training_csv.hpp"

#include <fmt/format.h>

#include "model/units/input_error.hpp"

namespace orrery {
namespace {

std::optional<std::int64_t> count(const CsvRow& row, std::string_view column) {
    const std::optional<std::int64_t> value = row.integer(column);
    if (value && *value <= 0) {
        throw InputError(
            fmt::format("{}: column '{}' must be positive, or blank when it is not stated", row.place(), column));
    }
    return value;
}

std::optional<double> positive(const CsvRow& row, std::string_view column) {
    const std::optional<double> value = row.number(column);
    if (value && *value <= 0.0) {
        throw InputError(
            fmt::format("{}: column '{}' must be positive, or blank when it is not stated", row.place(), column));
    }
    return value;
}

}  // namespace

std::string TrainingRow::source() const {
    return id.substr(0, id.find('-'));
}

bool looksLikeTrainingCsv(const CsvTable& table) {
    return table.hasColumn("id") && table.hasColumn("layers") && table.hasColumn("measured_iter_s");
}

std::vector<TrainingRow> readTrainingCsv(const CsvTable& table) {
    std::vector<TrainingRow> rows;
    rows.reserve(table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        const CsvRow in = table.row(i);
        TrainingRow row;
        row.id = in.text("id");
        row.place = in.place();
        row.modelName = in.text("model_name");
        row.gpu = in.text("gpu");
        row.intraLink = in.text("intra_link");
        row.sharding = in.text("zero_stage_or_fsdp");
        row.recompute = in.text("recompute");
        row.precision = in.text("precision");
        row.attentionImpl = in.text("attention_impl");
        row.framework = in.text("framework");
        row.notes = in.text("notes");
        row.attentionKind = in.text("attention_kind");
        row.layers = count(in, "layers");
        row.hidden = count(in, "hidden");
        row.heads = count(in, "heads");
        row.kvHeads = count(in, "kv_heads");
        row.headDim = count(in, "head_dim");
        row.ffnHidden = count(in, "ffn_hidden");
        row.vocab = count(in, "vocab");
        row.sequence = count(in, "seq_len");
        row.gatedMlp = in.text("gated_mlp") == "1";
        row.experts = count(in, "moe_experts");
        row.topK = count(in, "moe_topk");
        row.expertFfn = count(in, "moe_ffn");
        row.sharedFfn = in.integer("moe_shared_ffn");
        row.denseLayers = in.integer("moe_dense_layers");
        row.gpus = count(in, "gpus");
        row.gpusPerNode = count(in, "gpus_per_node");
        row.tp = count(in, "tp");
        row.pp = count(in, "pp");
        row.vpp = count(in, "vpp");
        row.dp = count(in, "dp");
        row.cp = count(in, "cp");
        row.ep = count(in, "ep");
        row.sequenceParallel = in.text("sp") == "1";
        row.microBatch = count(in, "micro_batch");
        row.globalBatch = count(in, "global_batch_seqs");
        row.interLinkGbps = positive(in, "inter_link_gbps_per_gpu");
        row.billionParameters = positive(in, "params_B");
        row.stepSeconds = positive(in, "measured_iter_s");
        row.tflopsPerGpu = positive(in, "measured_tflops_per_gpu");
        row.mfuPercent = positive(in, "measured_mfu");
        row.tokensPerSecondPerGpu = positive(in, "measured_tokens_per_s_per_gpu");
        row.peakMemory = positive(in, "peak_mem_gb");
        row.complete = static_cast<int>(in.integer("complete").value_or(0));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace orrery
