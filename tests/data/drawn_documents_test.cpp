// [workload] with documents from a distribution or a file.
#include <catch2/catch.hpp>

#include "data/lengths/lengths_file.hpp"
#include "data/scenario/scenario_file.hpp"
#include "model/units/input_error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {
const std::string kJob =
    "[model]\npreset = \"llama3-8b\"\n[cluster]\npreset = \"dgx-h100\"\ngpus = 2\n[workload]\nsequence_length = 1000\n";

Scenario read(const test::TempFolder& folder, const std::string& keys) {
    return readScenario(folder.write("s.toml", kJob + keys));
}
}  // namespace

TEST_CASE("a distribution fills the micro-batches of each replica, the same for the same seed", "[scenario]") {
    const test::TempFolder folder;
    const std::string drawn = "distribution = \"lognormal\"\nmedian = 200\nsigma = 0.8\nmicro_batches = 3\n";
    const Workload first = read(folder, drawn + "micro_batch = 2\nseed = 5\n").workload;
    REQUIRE(first.replicas.size() == 2);
    for (const auto& replica : first.replicas) {
        REQUIRE(replica.size() == 3);
        for (const MicroBatch& microBatch : replica) CHECK(microBatch.tokens() == 2000);
    }
    CHECK(first.replicas[0][0].documents !=
          read(folder, drawn + "micro_batch = 2\nseed = 6\n").workload.replicas[0][0].documents);
    CHECK(first.replicas[1][2].documents ==
          read(folder, drawn + "micro_batch = 2\nseed = 5\n").workload.replicas[1][2].documents);
}

TEST_CASE("a file of lengths is taken in order, dealt to the replicas in turn", "[scenario]") {
    const test::TempFolder folder;
    folder.write("lengths.csv", "length,source\n# web\n60,a\n50,b\n\n90,c\n{\"tokens\": 200}\n");
    const std::string keys = "lengths_file = \"lengths.csv\"\nmicro_batches = 2\ntokens_per_micro_batch = ";
    const Workload workload = read(folder, keys + "100\n").workload;
    CHECK(workload.replicas[0][0].documents == std::vector<std::int64_t>{60, 40});
    CHECK(workload.replicas[1][0].documents == std::vector<std::int64_t>{10, 90});
    CHECK(workload.replicas[0][1].documents == std::vector<std::int64_t>{100});
    CHECK_THROWS_WITH(read(folder, keys + "101\n"), Contains("its 4 documents do not fill 2 micro-batches of 101"));
    CHECK(read(folder, keys + "101\nseed = 1\n").workload.tokens() == 404);
}

TEST_CASE("wrong keys of drawn documents are told with the mend", "[scenario]") {
    const test::TempFolder folder;
    const auto error = [&](const std::string& keys) -> std::string {
        try {
            static_cast<void>(read(folder, keys));
        } catch (const InputError& wrong) {
            return wrong.what();
        }
        return {};
    };
    const std::string lognormal = "distribution = \"lognormal\"\nmedian = 200\nsigma = 0.8\n";
    CHECK_THAT(error("distribution = \"normal\"\nmicro_batches = 1\n"),
               Contains("s.toml:8:16") && Contains("'normal' is not one of uniform"));
    CHECK_THAT(error(lognormal), Contains("micro_batches in [workload]: is missing"));
    CHECK_THAT(error("distribution = \"pareto\"\nmicro_batches = 1\n"), Contains("alpha in [workload]: is missing"));
    CHECK_THAT(error(lognormal + "micro_batches = 1\nglobal_batch = 8\n"), Contains("follows from micro_batches"));
    CHECK_THAT(error(lognormal + "micro_batches = 1\nsigma_ = 8\n"), Contains("did you mean 'sigma'?"));
    CHECK_THAT(error("global_batch = 8\nseed = 3\n"), Contains("distribution in [workload]: is missing"));
    CHECK_THAT(error(lognormal + "micro_batches = 1\nminimum = 2000\n"), Contains("2000 is more than"));
    CHECK_THAT(error("distribution = \"uniform\"\nmaximum = 1\nmicro_batches = 1000000\ntokens_per_micro_batch = "
                     "2000000000\n"),
               Contains("more than 20000000 documents"));
    CHECK_THAT(error("lengths_file = \"none.txt\"\nmicro_batches = 1\n"), Contains("none.txt: no such file"));
}

TEST_CASE("a wrong file of lengths is refused with the line", "[scenario]") {
    const test::TempFolder folder;
    const auto lengths = [&](const std::string& text) { return readLengths(folder.write("l.txt", text)); };
    CHECK(lengths("5\r\n7\n") == std::vector<std::int64_t>{5, 7});
    CHECK_THROWS_WITH(lengths("5\n-7\n"), Contains("l.txt:2: not a length"));
    CHECK_THROWS_WITH(lengths("5\n99999999999999999999\n"), Contains("l.txt:2: not a length"));
    CHECK_THROWS_WITH(lengths("{\"length\": 0}\n"), Contains("l.txt:1: not a length"));
    CHECK_THROWS_WITH(lengths("{\"length\": 3\n"), Contains("l.txt:1: not a length"));
    CHECK_THROWS_WITH(lengths(std::string("ab\0c\n", 5)), Contains("l.txt:1: not a length"));
    CHECK_THROWS_WITH(lengths("length\ntokens\n"), Contains("l.txt:2: not a length"));
    CHECK_THROWS_WITH(lengths(""), Contains("holds no document lengths"));
}
