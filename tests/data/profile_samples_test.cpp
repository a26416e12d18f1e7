// Samples from a profile that was written by the convention of docs/annotations.md.
#include "data/samples/profile_samples.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "data/samples/step_means.hpp"
#include "data/store/profile_writer.hpp"
#include "model/timeline/timeline.hpp"

using namespace orrery;

namespace {

/// Writes annotated ranges of two ranks; every range gets a payload by field order.
class Recording {
  public:
    explicit Recording(const std::filesystem::path& file) : writer_(std::make_unique<ProfileWriter>(file)) {
        const std::map<std::string, std::vector<std::string>> fields{
            {"orrery.step", {"step"}},
            {"orrery.task", {"step", "phase", "micro_batch", "stage", "chunk", "tokens", "documents", "pairs"}},
            {"orrery.gemm", {"pass", "m", "n", "k", "groups", "bytes", "flops"}},
            {"orrery.comm", {"class", "bytes", "group_size", "peer", "sequence", "micro_batch", "step", "phase"}},
        };
        domain_ = writer_->string("orrery");
        for (const auto& [name, names] : fields) {
            std::vector<PayloadField> list;
            for (const std::string& field : names) list.push_back({field, "i64"});
            schemas_[name] = writer_->addPayloadSchema(domain_, name, list);
        }
        for (const int rank : {0, 1}) {
            RankRow row;
            row.file = "r";
            row.source = "orrery";
            row.rank = rank;
            row.clockOffset = rank == 1 ? 1000 : 0;  // rank 1's clock is 1 us behind
            ids_.push_back(writer_->addRank(row));
        }
    }

    void range(int rank, std::int64_t start, std::int64_t duration, const std::string& name, const std::string& schema,
               const std::vector<std::int64_t>& values) {
        RangeRow row;
        row.rankId = ids_[static_cast<std::size_t>(rank)];
        row.thread = 1;
        row.start = start;
        row.duration = duration;
        row.domainId = domain_;
        row.nameId = writer_->string(name);
        PayloadRow payload;
        payload.rangeId = writer_->addRange(row);
        payload.schemaId = schemas_.at(schema);
        for (const std::int64_t v : values) payload.values.emplace_back(v);
        writer_->addPayload(payload);
    }
    void finish() {
        writer_->finish();
        writer_.reset();
    }

  private:
    std::unique_ptr<ProfileWriter> writer_;
    std::int64_t domain_ = 0;
    std::map<std::string, std::int64_t> schemas_;
    std::vector<std::int64_t> ids_;
};

constexpr auto kSendRecv = static_cast<std::int64_t>(OpClass::sendRecv);
constexpr auto kAllReduce = static_cast<std::int64_t>(OpClass::allReduce);

}  // namespace

TEST_CASE("operators, gaps, transfers and collectives of an annotated profile become samples", "[samples]") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery_samples_test.db";
    std::filesystem::remove(file);
    Recording recording(file);
    for (const std::int64_t step : {0, 1}) {
        const std::int64_t t = step * 1'000'000;
        for (const int rank : {0, 1}) {
            recording.range(rank, t, 900'000, "step", "orrery.step", {step});
            recording.range(rank, t + 1000, 100'000, "forward", "orrery.task", {step, 0, 0, rank, 0, 256, 1, 0});
            recording.range(rank, t + 2000, 30'000, "qkv", "orrery.gemm", {0, 256, 512, 128, 1, 1000, 2000});
            recording.range(rank, t + 40'000, 20'000, "mlp_down", "orrery.gemm", {0, 256, 128, 512, 1, 9, 9});
        }
        // Rank 0 sends at 110 us; rank 1 is there at 115 us of the common axis and has it at 140 us.
        recording.range(0, t + 110'000, 8'000, "send_activation", "orrery.comm",
                        {kSendRecv, 4096, 2, 1, 0, 0, step, 10});
        recording.range(1, t + 114'000, 25'000, "recv_activation", "orrery.comm",
                        {kSendRecv, 4096, 2, 0, 0, 0, step, 10});
        // All-reduce: the later rank arrives at 301 us, both end by 351 us.
        recording.range(0, t + 250'000, 100'000, "all_reduce", "orrery.comm",
                        {kAllReduce, 8192, 2, -1, 7, -1, step, 5});
        recording.range(1, t + 300'000, 50'000, "all_reduce", "orrery.comm", {kAllReduce, 8192, 2, -1, 7, -1, step, 5});
    }
    recording.finish();

    const ProfileSamples read = readProfileSamples(Profile(file));
    std::filesystem::remove(file);
    REQUIRE(read.samples.kernels.size() == 2);  // 2 operators of the kept step, each the mean over both ranks
    CHECK(read.skipped.at("warm-up step") > 0);
    CHECK(read.samples.kernels[0].opName == "qkv");
    CHECK(read.samples.kernels[0].op.n == 512);
    CHECK(read.samples.kernels[0].op.dtype == DType::fp32);
    CHECK(toNanoseconds(read.samples.kernels[0].time) == 30'000);

    REQUIRE(read.samples.hostGaps.size() == 2);
    CHECK(read.samples.hostGaps[0].operators == 2);
    CHECK(toNanoseconds(read.samples.hostGaps[0].gap) == 50'000);  // 100 - 30 - 20

    REQUIRE(read.samples.collectives.size() == 2);
    CHECK(read.samples.collectives[0].kind == OpClass::sendRecv);
    CHECK(toNanoseconds(read.samples.collectives[0].time) == 25'000);
    CHECK(read.samples.collectives[1].kind == OpClass::allReduce);
    CHECK(read.samples.collectives[1].ranks == 2);
    CHECK(toNanoseconds(read.samples.collectives[1].time) == 50'000);
}

TEST_CASE("an unmatched transfer is counted, not guessed", "[samples]") {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "orrery_samples_unmatched_test.db";
    std::filesystem::remove(file);
    Recording recording(file);
    recording.range(0, 10, 900, "step", "orrery.step", {0});
    recording.range(0, 20, 100, "send_activation", "orrery.comm", {kSendRecv, 4096, 2, 1, 0, 0, 0, 10});
    recording.finish();
    const ProfileSamples read = readProfileSamples(Profile(file));
    std::filesystem::remove(file);
    CHECK(read.samples.collectives.empty());
    CHECK(read.skipped.at("transfer without its other end") == 1);
}

TEST_CASE("repeats within a step are averaged, so that steps add up", "[samples]") {
    KernelSample fast;
    fast.opName = "qkv";
    fast.op.cls = OpClass::gemm;
    fast.op.m = fast.op.n = fast.op.k = 64;
    fast.time = Seconds(1e-3);
    KernelSample slow = fast;
    slow.time = Seconds(4e-3);
    // Three fast repeats and a slow one make up the step: 7 ms in all, 1.75 ms each; the second step is of fast ones.
    const auto means = profile_samples::meansWithinSteps({fast, fast, slow, fast, fast, fast}, {3, 3, 3, 3, 4, 4});
    REQUIRE(means.size() == 2);
    CHECK(means[0].time.value() == Approx(1.75e-3));
    CHECK(means[1].time.value() == Approx(1e-3));
}
