// Writes a profile as an annotated job would (docs/annotations.md), one call a range.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"
#include "model/timeline/timeline.hpp"

namespace orrery::test {

class AnnotatedProfile {
  public:
    /// One recorded process per entry of `clockOffsets`; ranks count from 0.
    AnnotatedProfile(const std::filesystem::path& file, const std::vector<std::int64_t>& clockOffsets) : writer_(file) {
        domain_ = writer_.string("orrery");
        schema("step", {"step"});
        schema("task", {"step", "phase", "micro_batch", "stage", "chunk", "tokens", "documents", "pairs"});
        schema("gemm", {"pass", "m", "n", "k", "groups", "bytes", "flops"});
        schema("memory", {"pass", "class", "bytes", "flops"});
        schema("comm", {"class", "bytes", "group_size", "peer", "sequence", "micro_batch", "step", "phase"});
        for (const auto offset : clockOffsets) {
            RankRow row;
            row.file = "job.db";
            row.source = "orrery";
            row.rank = static_cast<std::int64_t>(ranks_.size());
            row.worldSize = static_cast<std::int64_t>(clockOffsets.size());
            row.clockOffset = offset;
            ranks_.push_back(writer_.addRank(row));
        }
    }

    /// Times in microseconds on the rank's own clock; a negative duration stands for a range that never ended.
    void range(int rank, std::string_view level, std::string_view schema, std::string_view name, double start,
               double duration, const std::vector<std::int64_t>& values) {
        RangeRow row;
        row.rankId = ranks_.at(static_cast<std::size_t>(rank));
        row.start = static_cast<std::int64_t>(start * 1000);
        if (duration >= 0) row.duration = static_cast<std::int64_t>(duration * 1000);
        row.domainId = domain_;
        row.categoryId = writer_.string(level);
        row.nameId = writer_.string(name);
        PayloadRow payload;
        payload.rangeId = writer_.addRange(row);
        payload.schemaId = schemas_.at(std::string(schema));
        for (const auto value : values) payload.values.emplace_back(value);
        writer_.addPayload(payload);
    }
    void step(int rank, int number, double start, double duration) {
        range(rank, "step", "step", "step", start, duration, {number});
    }
    void task(int rank, Phase phase, int step, int microBatch, double start, double duration) {
        range(rank, "task", "task", name(phase), start, duration,
              {step, static_cast<std::int64_t>(phase), microBatch, rank, 0, 128, 1, 0});
    }
    void gemm(int rank, std::string_view opName, int pass, double start, double duration) {
        range(rank, "op", "gemm", opName, start, duration, {pass, 8, 8, 8, 1, 768, 1024});
    }
    /// `send...` or `recv...` between ranks.
    void transfer(int rank, std::string_view opName, int peer, int step, int microBatch, double start,
                  double duration) {
        range(rank, "comm", "comm", opName, start, duration,
              {static_cast<std::int64_t>(OpClass::sendRecv), 4096, 2, peer, 0, microBatch, step,
               static_cast<std::int64_t>(Phase::pipelineComm)});
    }
    void allReduce(int rank, int members, int step, int sequence, double start, double duration) {
        range(rank, "comm", "comm", "all_reduce", start, duration,
              {static_cast<std::int64_t>(OpClass::allReduce), 4096, members, -1, sequence, -1, step,
               static_cast<std::int64_t>(Phase::gradReduce)});
    }
    ProfileWriter& writer() { return writer_; }
    [[nodiscard]] std::int64_t rankId(int rank) const { return ranks_.at(static_cast<std::size_t>(rank)); }

  private:
    void schema(const std::string& name, const std::vector<std::string>& names) {
        std::vector<PayloadField> fields;
        for (const auto& field : names) fields.push_back({field, "int64"});
        schemas_[name] = writer_.addPayloadSchema(domain_, "orrery." + name, fields);
    }

    ProfileWriter writer_;
    std::int64_t domain_ = 0;
    std::map<std::string, std::int64_t> schemas_;
    std::vector<std::int64_t> ranks_;
};

/// Two stages, `steps` steps of `microBatches` micro-batches, one after the other; step s takes (1000 + 10 s) us.
/// Stage 1 receives and, in a step of number s, waits for stage 0; rank 1's clock is 5 ms behind.
inline void writePipelineJob(const std::filesystem::path& file, int steps, int microBatches) {
    AnnotatedProfile job(file, {0, 5'000'000});
    const double clock[2] = {0.0, 5000.0};
    double begin = 100.0;
    for (int s = 0; s < steps; ++s) {
        const double length = 1000.0 + 10.0 * s;
        const double slot = length / (2.0 * microBatches + 1.0);
        for (int rank = 0; rank < 2; ++rank) job.step(rank, s, begin - clock[rank], length);
        for (int m = 0; m < microBatches; ++m) {
            const double at = begin + 2.0 * m * slot;
            job.task(0, Phase::forward, s, m, at, slot * 0.9);
            job.gemm(0, "qkv", 0, at + 1, slot * 0.8);
            job.transfer(0, "send_activation", 1, s, m, at + slot * 0.9, slot * 0.1);
            const double ready = m == 0 ? begin : at - slot * 0.05;
            job.transfer(1, "recv_activation", 0, s, m, ready - clock[1], at + slot - ready);
            job.task(1, Phase::forward, s, m, at + slot - clock[1], slot * 0.4);
            job.gemm(1, "qkv", 0, at + slot + 1 - clock[1], slot * 0.3);
            job.task(1, Phase::backward, s, m, at + slot * 1.4 - clock[1], slot * 0.5);
            job.gemm(1, "qkv", 1, at + slot * 1.4 + 1 - clock[1], slot * 0.4);
            job.transfer(1, "send_gradient", 0, s, m, at + slot * 1.9 - clock[1], slot * 0.05);
            job.transfer(0, "recv_gradient", 1, s, m, at + slot, slot * 0.95);
        }
        for (int rank = 0; rank < 2; ++rank) {
            job.task(rank, Phase::optimizer, s, -1, begin + 2.0 * microBatches * slot - clock[rank], slot);
        }
        begin += length;
    }
    job.writer().setLoss(job.rankId(0), "ring buffer full", 0);
    job.writer().setLoss(job.rankId(1), "ring buffer full", 2);
    job.writer().finish();
}

}  // namespace orrery::test
