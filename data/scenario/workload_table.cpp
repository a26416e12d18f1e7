#include "data/scenario/workload_table.hpp"

#include <fmt/format.h>

#include "data/scenario/drawn_documents.hpp"
#include "data/toml/strict_table.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {

constexpr std::int64_t kLongestSequence = std::int64_t{1} << 31U;
constexpr std::int64_t kLargestBatch = 10'000'000;

MicroBatch readMicroBatch(const StrictTable& fields, const toml::node& node) {
    const toml::array* lengths = node.as_array();
    if (lengths == nullptr || lengths->empty())
        fields.failAt(node, "documents: a micro-batch is a list of document lengths");
    MicroBatch microBatch;
    for (const auto& length : *lengths) {
        const auto* value = length.as_integer();
        if (value == nullptr || value->get() < 1 || value->get() > kLongestSequence) {
            fields.failAt(length, "documents: a length is a whole number of tokens, 1 or more");
        }
        microBatch.documents.push_back(value->get());
    }
    return microBatch;
}

Workload readDocuments(const StrictTable& fields, const toml::array& replicas, std::int64_t sequenceLength, int dp) {
    Workload workload;
    workload.sequenceLength = sequenceLength;
    for (const auto& replica : replicas) {
        const toml::array* microBatches = replica.as_array();
        if (microBatches == nullptr || microBatches->empty()) {
            fields.failAt(replica, "documents: give a list of micro-batches for each replica");
        }
        auto& list = workload.replicas.emplace_back();
        for (const auto& microBatch : *microBatches) list.push_back(readMicroBatch(fields, microBatch));
        if (list.size() != workload.replicas.front().size()) {
            fields.failAt(replica,
                          fmt::format("documents: {} micro-batches, the first replica has {}; give all the same",
                                      list.size(), workload.replicas.front().size()));
        }
    }
    if (std::ssize(workload.replicas) != dp) {
        fields.fail("documents",
                    fmt::format("{} replicas listed for dp = {}; list one a replica", workload.replicas.size(), dp));
    }
    return workload;
}

}  // namespace

Workload readWorkload(const toml::table& table, const std::string& file, int dp,
                      std::optional<std::int64_t> microBatchOfPlan) {
    StrictTable fields(table, "[workload]", file);
    const auto sequenceLength = fields.integer("sequence_length", 1, kLongestSequence);
    const auto globalBatch = fields.integer("global_batch", 1, kLargestBatch);
    const auto microBatchHere = fields.integer("micro_batch", 1, kLargestBatch);
    const toml::array* documents = fields.array("documents");
    const DrawnDocuments drawn = readDrawnDocuments(fields);
    fields.finish();
    if (microBatchHere && microBatchOfPlan && *microBatchHere != *microBatchOfPlan) {
        fields.fail("micro_batch",
                    fmt::format("{} here and {} in [plan]; give it once", *microBatchHere, *microBatchOfPlan));
    }
    if (!sequenceLength) fields.fail("sequence_length", "is missing; give the context length in tokens");
    if (documents != nullptr && drawn.given()) fields.fail("documents", "are listed and drawn; give one of the two");
    if ((drawn.seed || drawn.microBatches || drawn.tokensPerMicroBatch) && !drawn.given()) {
        fields.fail("distribution",
                    "is missing; micro_batches, tokens_per_micro_batch and seed belong to documents "
                    "from a distribution or lengths_file");
    }
    if (documents != nullptr) {
        if (globalBatch) fields.fail("global_batch", "follows from the documents; leave it out");
        return readDocuments(fields, *documents, *sequenceLength, dp);
    }
    const std::int64_t microBatch = microBatchHere.value_or(microBatchOfPlan.value_or(1));
    if (drawn.given()) {
        if (globalBatch) fields.fail("global_batch", "follows from micro_batches; leave it out");
        return packDrawn(fields, drawn, std::filesystem::path(file).parent_path(), *sequenceLength, microBatch, dp);
    }
    if (!globalBatch) fields.fail("global_batch", "is missing; give the sequences of one step, or list documents");
    try {
        return Workload::fixed(*sequenceLength, *globalBatch, microBatch, dp);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", file, error.what()));
    }
}

}  // namespace orrery
