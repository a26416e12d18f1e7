// Laws of all packing policies: every token once, capacity, determinism; and what each promises of its own.
#include "model/packing/policies.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/packing/named_lengths.hpp"
#include "model/units/input_error.hpp"

using namespace orrery;

namespace {

PackingProblem drawProblem() {
    PackingProblem problem;
    problem.contextLength = *rc::gen::inRange(64, 3000);
    problem.tokensPerMicroBatch = *rc::gen::inRange(64, 4000);
    problem.microBatches = *rc::gen::inRange(1, 5);
    problem.multiple = *rc::gen::element(1, 2);
    problem.microBatches *= problem.multiple;
    problem.replicas = *rc::gen::inRange(1, 4);
    problem.room = *rc::gen::element(1.0, 1.5, 3.0);
    problem.cost = {0.0, 1.0, *rc::gen::element(0.0, 0.001, 0.1)};
    problem.seed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1000));
    return problem;
}

GlobalBatches drawBatches() {
    return *rc::gen::container<GlobalBatches>(
        *rc::gen::inRange(1, 5), rc::gen::container<std::vector<std::int64_t>>(rc::gen::oneOf(
                                     rc::gen::inRange<std::int64_t>(1, 200), rc::gen::inRange<std::int64_t>(1, 8000))));
}

std::int64_t tokensOf(const GlobalBatches& batches) {
    std::int64_t tokens = 0;
    for (const auto& batch : batches) tokens = std::accumulate(batch.begin(), batch.end(), tokens);
    return tokens;
}

template <typename Visit>
void forEachPack(const Packing& packing, Visit visit) {
    for (const PackedStep& step : packing.steps) {
        for (const auto& packs : step.replicas) {
            for (const Pack& pack : packs) visit(pack);
        }
    }
}

bool same(const Packing& a, const Packing& b) {
    std::vector<std::vector<std::int64_t>> left;
    std::vector<std::vector<std::int64_t>> right;
    forEachPack(a, [&](const Pack& pack) { left.push_back(pack.computed.documents); });
    forEachPack(b, [&](const Pack& pack) { right.push_back(pack.computed.documents); });
    return left == right && a.truncated == b.truncated && a.heldBack == b.heldBack;
}

/// Every step waits for its dearest pack: time of all steps over what it would be with even packs.
double waiting(const Packing& packing, const PackCost& cost) {
    double waited = 0.0;
    double even = 0.0;
    for (const PackedStep& step : packing.steps) {
        std::vector<double> costs;
        for (const auto& packs : step.replicas) {
            for (const Pack& pack : packs) costs.push_back(cost.of(pack.computed));
        }
        waited += *std::max_element(costs.begin(), costs.end());
        even += std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
    }
    return waited / even;
}

}  // namespace

TEST_CASE("every policy keeps every token once or counts it, respects its capacity, and is deterministic",
          "[packing][laws]") {
    const std::size_t number = GENERATE(range<std::size_t>(0, packingPolicies().size()));
    const PackingPolicy& policy = packingPolicies()[number];
    INFO(policy.name);
    CHECK(rc::check("law", [&] {
        const PackingProblem problem = drawProblem();
        const GlobalBatches batches = drawBatches();
        const Packing packing = policy.pack(batches, problem);
        const std::int64_t capacity =
            std::max(problem.tokensPerMicroBatch, policy.name == "wlb" ? problem.mostTokens() : 0);
        std::int64_t placed = 0;
        for (const PackedStep& step : packing.steps) {
            RC_ASSERT(std::ssize(step.replicas) == problem.replicas);
            for (const auto& packs : step.replicas) {
                RC_ASSERT(packs.size() == step.replicas.front().size());
                RC_ASSERT(!packs.empty());
                RC_ASSERT(std::ssize(packs) % problem.multiple == 0);
            }
            placed += realTokens(step);
        }
        RC_ASSERT(placed + packing.truncated + packing.heldBack == tokensOf(batches));
        forEachPack(packing, [&](const Pack& pack) {
            RC_ASSERT(pack.computed.tokens() <= capacity);
            RC_ASSERT(pack.computed.tokens() >= std::accumulate(pack.documents.begin(), pack.documents.end(), 0L));
            RC_ASSERT(!pack.computed.documents.empty());
            for (const std::int64_t segment : pack.computed.documents) RC_ASSERT(segment >= 1);
            for (const std::int64_t piece : pack.documents) RC_ASSERT(piece <= problem.contextLength);
        });
        RC_ASSERT(same(packing, policy.pack(batches, problem)));
    }));
}

TEST_CASE("fit decreasing uses few packs and cuts nothing that fits", "[packing]") {
    PackingProblem problem;
    problem.contextLength = problem.tokensPerMicroBatch = 10;
    problem.microBatches = 3;
    // 7 3 | 6 4 | 5 5 is the perfect packing; both find it.
    const GlobalBatches batches{{3, 5, 7, 4, 6, 5}};
    for (const auto policy : {firstFitDecreasing, bestFitDecreasing}) {
        const Packing packing = policy(batches, problem);
        CHECK(packing.cutDocuments == 0);
        CHECK(packing.heldBack == 0);
        CHECK(computedTokens(packing.steps.at(0)) == 30);
    }
}

TEST_CASE("dataset decomposition: one power-of-two length a step, constant tokens", "[packing]") {
    PackingProblem problem;
    problem.contextLength = problem.tokensPerMicroBatch = 8192;
    problem.microBatches = 2;
    const GlobalBatches batches{drawLengths(*findNamedLengths("web"), 2'000'000, 1)};
    const Packing packing = datasetDecomposition(batches, problem);
    REQUIRE(packing.steps.size() > 50);
    for (const PackedStep& step : packing.steps) {
        CHECK(realTokens(step) == problem.tokensPerStep());
        const std::int64_t first = step.replicas[0][0].documents[0];
        CHECK(std::has_single_bit(static_cast<std::uint64_t>(first)));
        for (const Pack& pack : step.replicas[0]) {
            CHECK(std::all_of(pack.documents.begin(), pack.documents.end(), [&](auto d) { return d == first; }));
        }
    }
}

TEST_CASE("workload-balanced packs are more even in cost than concatenated ones", "[packing]") {
    PackingProblem problem;
    problem.contextLength = problem.tokensPerMicroBatch = 65536;
    problem.microBatches = 8;
    problem.cost = {0.0, 1.0, 1.0 / 16384.0};
    const std::uint64_t seed = GENERATE(1U, 2U, 3U);
    GlobalBatches batches;
    for (int i = 0; i < 12; ++i)
        batches.push_back(drawLengths(*findNamedLengths("long-context"), problem.tokensPerStep(),
                                      seed + 100U * static_cast<unsigned>(i)));
    const double balanced = waiting(workloadBalanced(batches, problem), problem.cost);
    const double chunked = waiting(concatenateWithin(batches, problem), problem.cost);
    CHECK(balanced < chunked);
}

TEST_CASE("named lengths have the mean sizes of the Pile", "[packing]") {
    const auto mean = [](const char* name) {
        const auto lengths = drawLengths(*findNamedLengths(name), 200'000'000, 5);
        return std::accumulate(lengths.begin(), lengths.end(), 0.0) / static_cast<double>(lengths.size());
    };
    CHECK(mean("web") == Approx(4.33 * 256).epsilon(0.02));
    CHECK(mean("code") == Approx(5.25 * 256).epsilon(0.03));
    CHECK(mean("papers") == Approx(46.61 * 256).epsilon(0.05));
    CHECK(findNamedLengths("poems") == nullptr);
}

TEST_CASE("an unknown policy is answered with those that there are", "[packing]") {
    CHECK_THROWS_WITH(packingPolicy("tetris"), Catch::Contains("best-fit"));
}
