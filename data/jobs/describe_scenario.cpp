#include "data/jobs/describe_scenario.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

JobDescription describe(const Scenario& scenario, std::string format) {
    JobDescription job;
    job.format = std::move(format);
    job.model = scenario.model;
    job.plan = scenario.plan;
    job.sequenceLength = scenario.workload.sequenceLength;
    const auto& first = scenario.workload.replicas.front();
    job.microBatch = static_cast<std::int64_t>(first.front().documents.size());
    job.globalBatch = static_cast<std::int64_t>(first.size()) * *job.microBatch * scenario.plan.dp;
    const auto isSequence = [&](std::int64_t length) { return length == scenario.workload.sequenceLength; };
    const auto& documents = first.front().documents;
    if (!std::all_of(documents.begin(), documents.end(), isSequence)) {
        // A micro-batch of documents is about one of sequences with as many tokens.
        job.microBatch =
            std::max<std::int64_t>(1, first.front().tokens() / std::max<std::int64_t>(1, *job.sequenceLength));
        job.globalBatch = static_cast<std::int64_t>(first.size()) * *job.microBatch * scenario.plan.dp;
        job.notes.emplace_back("the scenario has documents of its own; sequences of fixed length stand for them");
    }
    return job;
}

}  // namespace orrery
