// Documents, text and the order of tasks: what every process of a job must see alike.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"
#include "profiler/workload/batch.hpp"
#include "profiler/workload/config.hpp"
#include "profiler/workload/pipeline_order.hpp"

using namespace orrery;
using namespace orrery::workload;

namespace {

class LengthFile {
  public:
    explicit LengthFile(const std::string& text) { std::ofstream(path_) << text; }
    ~LengthFile() { std::filesystem::remove(path_); }
    LengthFile(const LengthFile&) = delete;
    LengthFile& operator=(const LengthFile&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                  ("orrery_lengths_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".txt");
};

JobConfig small() {
    JobConfig config;
    config.microBatches = 3;
    config.tokensPerMicroBatch = 100;
    return config;
}

}  // namespace

TEST_CASE("documents fill each micro-batch and are cut at its end", "[workload]") {
    const LengthFile file("60\n\n70\r\n50\n");
    JobConfig config = small();
    config.lengths.file = file.path();
    const auto replica = Corpus(config).documents(0).replicas.at(0);
    CHECK(replica.at(0).documents == std::vector<std::int64_t>{60, 40});
    CHECK(replica.at(1).documents == std::vector<std::int64_t>{50, 50});
    CHECK(replica.at(2).tokens() == 100);
}

TEST_CASE("whole documents: what does not fit opens the next micro-batch", "[workload]") {
    const LengthFile file("60\n70\n30\n500\n");
    JobConfig config = small();
    config.wholeDocuments = true;
    config.lengths.file = file.path();
    const auto replica = Corpus(config).documents(0).replicas.at(0);
    CHECK(replica.at(0).documents == std::vector<std::int64_t>{60});
    CHECK(replica.at(1).documents == std::vector<std::int64_t>{70, 30});
    CHECK(replica.at(2).documents == std::vector<std::int64_t>{100});  // longer than any micro-batch
}

TEST_CASE("steps differ unless documents repeat; the text is new in any case", "[workload]") {
    JobConfig config = small();
    config.tokensPerMicroBatch = 1000;
    const auto lengthsOf = [](const JobConfig& job, int step) {
        return Corpus(job).documents(step).replicas.at(0).at(0).documents;
    };
    CHECK(lengthsOf(config, 0) != lengthsOf(config, 1));
    CHECK(lengthsOf(config, 1) == lengthsOf(config, 1));
    config.repeatDocuments = true;
    CHECK(lengthsOf(config, 0) == lengthsOf(config, 1));
    const Corpus corpus(config);
    const MicroBatch documents{{30, 20}};
    CHECK(corpus.tokens(documents, 0, 0, 0).inputs != corpus.tokens(documents, 1, 0, 0).inputs);
}

TEST_CASE("two replicas see what one with twice the micro-batches sees", "[workload]") {
    JobConfig two = small();
    two.dp = 2;
    JobConfig one = small();
    one.microBatches = 6;
    const auto split = Corpus(two).documents(4).replicas;
    const auto whole = Corpus(one).documents(4).replicas.at(0);
    for (std::size_t i = 0; i < 6; ++i) CHECK(split.at(i / 3).at(i % 3).documents == whole.at(i).documents);
    const MicroBatch documents{{50}};
    CHECK(Corpus(two).tokens(documents, 4, 1, 2).inputs == Corpus(one).tokens(documents, 4, 0, 5).inputs);
}

TEST_CASE("a target is the next token of the same document", "[workload]") {
    const Corpus corpus(small());
    const workload::Tokens tokens = corpus.tokens(MicroBatch{{4, 1, 3}}, 0, 0, 0);
    REQUIRE(tokens.inputs.size() == 8);
    for (const std::size_t i : {0U, 1U, 2U, 5U, 6U}) CHECK(tokens.targets[i] == tokens.inputs[i + 1]);
    for (const std::size_t i : {3U, 4U, 7U}) CHECK(tokens.targets[i] == -1);
}

TEST_CASE("length files that are wrong say where", "[workload]") {
    const auto failure = [](const std::string& text) {
        const LengthFile file(text);
        JobConfig config = small();
        config.lengths.file = file.path();
        try {
            const Corpus corpus(config);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(failure("10\n-3\n"), Contains(":2: '-3' is not a document length"));
    CHECK_THAT(failure("10\n20\nten\n"), Contains(":3: 'ten' is not"));
    CHECK_THAT(failure("0\n"), Contains(":1: '0' is not"));
    CHECK_THAT(failure("1.5\n"), Contains(":1: '1.5' is not"));
    CHECK_THAT(failure("99999999999999999999\n"), Contains(":1:"));
    CHECK_THAT(failure(""), Contains("holds no lengths"));
    CHECK_THAT(failure("\n\n"), Contains("holds no lengths"));
    JobConfig config = small();
    config.lengths.file = std::filesystem::temp_directory_path();
    CHECK_THROWS_AS(Corpus(config), InputError);
}

TEST_CASE("1F1B keeps as many micro-batches in flight as stages follow; GPipe all", "[workload]") {
    const auto inFlight = [](Schedule schedule, int stage, int stages, int microBatches) {
        int now = 0;
        int most = 0;
        int done = 0;
        for (const auto& task : pipelineOrder(schedule, stage, stages, microBatches)) {
            now += task.forward ? 1 : -1;
            most = std::max(most, now);
            if (!task.forward) CHECK(task.microBatch == done++);
        }
        CHECK(now == 0);
        CHECK(done == microBatches);
        return most;
    };
    const int stages = GENERATE(1, 2, 4);
    const int microBatches = GENERATE(1, 3, 8);
    for (int stage = 0; stage < stages; ++stage) {
        CHECK(inFlight(Schedule::gpipe, stage, stages, microBatches) == microBatches);
        CHECK(inFlight(Schedule::oneFOneB, stage, stages, microBatches) == std::min(microBatches, stages - stage));
    }
}
