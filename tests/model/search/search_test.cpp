// The search returns what predicting every plan of the space one by one returns.
#include <algorithm>
#include <limits>
#include <set>

#include <catch2/catch.hpp>

#include "../laws/draw.hpp"
#include "model/search/explain.hpp"
#include "model/search/search_around.hpp"

using namespace orrery;

namespace {

/// A job of 16 GPUs with everything open, on devices small enough that some plans do not fit.
SearchProblem smallProblem(const ModelSpec& model, Bytes memory, bool overlap) {
    ParallelPlan plan = specs::plan(1, 1, 16);
    plan.overlapGradReduce = plan.overlapParamGather = overlap;
    Scenario scenario = specs::scenario(model, plan, 4096, 32, 1);
    scenario.cluster.gpu.memory = memory;
    SearchProblem problem = searchAround(scenario);
    problem.reference.reset();
    problem.space.schedule = allSchedules();
    return problem;
}

struct Found {
    double step = 0.0, memory = 0.0;
};

/// Every plan that the space can mean, without any of the search's own rules but the cluster's memory.
std::vector<Found> bruteForce(const SearchProblem& problem) {
    std::vector<Found> fitting;
    for (const Candidate& candidate :
         legalCandidates(problem.space, problem.model, problem.cost.cluster(), problem.job).legal) {
        const Workload workload = problem.workload(candidate.dp, candidate.microBatch);
        const Prediction prediction = predict(problem.model, planOf(candidate, problem.space), workload, problem.cost);
        if (prediction.metrics.peakMemory > problem.cost.cluster().gpu.memory) continue;
        fitting.push_back({prediction.metrics.step.value(), prediction.metrics.peakMemory.value()});
    }
    std::sort(fitting.begin(), fitting.end(),
              [](const Found& a, const Found& b) { return std::pair(a.step, a.memory) < std::pair(b.step, b.memory); });
    return fitting;
}

void requireEqualAnswers(const SearchResult& result, const std::vector<Found>& all, std::size_t top) {
    RC_ASSERT(result.feasible == static_cast<std::int64_t>(all.size()));
    RC_ASSERT(result.best.size() == std::min(top, all.size()));
    for (std::size_t i = 0; i < result.best.size(); ++i) {
        RC_ASSERT(result.best[i].prediction.metrics.step.value() == all[i].step);
        RC_ASSERT(result.best[i].prediction.metrics.peakMemory.value() == all[i].memory);
    }
    double least = std::numeric_limits<double>::infinity();
    std::size_t front = 0;
    for (const Found& found : all) {
        if (found.memory >= least) continue;
        least = found.memory;
        RC_ASSERT(front < result.front.size());
        RC_ASSERT(result.front[front].prediction.metrics.step.value() == found.step);
        RC_ASSERT(result.front[front].prediction.metrics.peakMemory.value() == found.memory);
        ++front;
    }
    RC_ASSERT(front == result.front.size());
}

SearchProblem gptProblem(int gpus, std::int64_t batch) {
    ParallelPlan plan = specs::plan(1, 1, gpus);
    plan.flashAttention = false;
    return searchAround(specs::scenario(specs::gpt(24, 2048, 16), plan, 2048, batch, 1));
}

}  // namespace

TEST_CASE("a search finds the best plans and the Pareto front that brute force finds", "[search]") {
    CHECK(rc::check("brute force", [] {
        const ModelSpec model = *rc::gen::element(specs::gpt(8, 2048, 16), specs::llama(12, 2048, 16, 4, 5632, 32000));
        const SearchProblem problem =
            smallProblem(model, *rc::gen::element(4.0, 8.0, 40.0) * 1_GiB, *rc::gen::arbitrary<bool>());
        SearchOptions options;
        options.top = *rc::gen::inRange(1, 20);
        const SearchResult result = search(problem, options);
        requireEqualAnswers(result, bruteForce(problem), static_cast<std::size_t>(options.top));
        RC_ASSERT(result.simulated <= result.feasible);
    }));
}

TEST_CASE("running every schedule changes no answer", "[search]") {
    const SearchProblem problem = gptProblem(64, 128);
    const SearchResult quick = search(problem);
    SearchOptions exhaustive;
    exhaustive.exhaustive = true;
    const SearchResult thorough = search(problem, exhaustive);
    REQUIRE(quick.best.size() == thorough.best.size());
    for (std::size_t i = 0; i < quick.best.size(); ++i) {
        CHECK(quick.best[i].plan == thorough.best[i].plan);
        CHECK(quick.best[i].prediction.metrics.step == thorough.best[i].prediction.metrics.step);
    }
    CHECK(quick.feasible == thorough.feasible);
    CHECK(quick.rejected == thorough.rejected);
    CHECK(quick.betterThanReference == thorough.betterThanReference);
    CHECK(quick.simulated < quick.feasible / 2);
}

TEST_CASE("the answer does not depend on the number of threads", "[search]") {
    const SearchProblem problem = gptProblem(64, 128);
    SearchOptions one;
    one.threads = 1;
    const SearchResult single = search(problem, one);
    SearchOptions four;
    four.threads = 4;
    const SearchResult several = search(problem, four);
    CHECK(single.simulated == several.simulated);
    REQUIRE(single.best.size() == several.best.size());
    for (std::size_t i = 0; i < single.best.size(); ++i) CHECK(single.best[i].plan == several.best[i].plan);
}

TEST_CASE("every point of a space is a plan, equals an earlier one, or has a reason against it", "[search]") {
    SearchProblem problem = gptProblem(16, 32);
    PlanSpace& space = problem.space;
    space.tp = {1, 2, 3, 32};
    space.pp = {1, 2, 7};
    space.vpp = {1, 5};
    space.cp = {1};
    space.microBatch = {1, 3};
    space.sharding = {Sharding::zero1};
    space.recompute = {Recompute::none};
    const Candidates found = legalCandidates(space, problem.model, problem.cost.cluster(), problem.job);
    const auto count = [&](Rejection reason) { return found.rejected[static_cast<std::size_t>(reason)]; };
    CHECK(count(Rejection::gpus) > 0);      // tp 3, tp 32, pp 7
    CHECK(count(Rejection::batch) > 0);     // micro-batches of 3
    CHECK(count(Rejection::layers) > 0);    // pp 2 x vpp 5 of 24 layers
    CHECK(count(Rejection::schedule) > 0);  // vpp 5 without interleaving
    std::int64_t rejected = 0;
    for (const std::int64_t points : found.rejected) rejected += points;
    // pp 1 has one schedule and one split: 3 of 4 combinations equal the first.
    const std::int64_t points = 4LL * 3 * 2 * 2 * 2 * 2;
    const auto legal = static_cast<std::int64_t>(found.legal.size());
    CHECK(rejected + legal <= points);
    CHECK(rejected + legal >= points - 2 * 3 * 2 * 2);
    const std::set<Candidate> distinct(found.legal.begin(), found.legal.end());
    CHECK(distinct.size() == found.legal.size());
}

TEST_CASE("the reference plan is ranked among all that fit", "[search]") {
    ParallelPlan plan = specs::plan(2, 4, 8);
    plan.sequenceParallel = true;
    const Scenario scenario = specs::scenario(specs::gpt(24, 2048, 16), plan, 2048, 128, 2);
    const SearchProblem problem = searchAround(scenario);
    SearchOptions exhaustive;
    exhaustive.exhaustive = true;
    exhaustive.top = 1'000'000;
    const SearchResult all = search(problem, exhaustive);
    REQUIRE(all.reference);
    CHECK(all.reference->prediction.metrics.step == predict(scenario).metrics.step);
    const auto faster = std::count_if(all.best.begin(), all.best.end(), [&](const RankedPlan& ranked) {
        return ranked.prediction.metrics.step < all.reference->prediction.metrics.step;
    });
    CHECK(all.betterThanReference == faster);
    CHECK(search(problem).betterThanReference == faster);
}

TEST_CASE("a stopped search keeps what it found", "[search]") {
    const SearchProblem problem = gptProblem(512, 1024);
    std::atomic<bool> stop{false};
    SearchOptions options;
    options.stop = &stop;
    options.progress = [&](const SearchProgress&) { stop = true; };
    const SearchResult result = search(problem, options);
    CHECK(result.interrupted);
    CHECK_FALSE(result.best.empty());
}

TEST_CASE("the difference of two plans is the sum of the differences of their parts", "[search]") {
    const SearchProblem problem = gptProblem(64, 128);
    const SearchResult result = search(problem);
    REQUIRE(result.best.size() >= 2);
    const Prediction& first = result.best[0].prediction;
    const Prediction& second = result.best[1].prediction;
    double sum = 0.0;
    for (const Difference& difference : differences(first, second, 0.0)) sum += difference.share;
    CHECK(sum == Approx(first.metrics.step / second.metrics.step - 1.0));
}

TEST_CASE("documents of unequal length are dealt out to the replicas of each plan", "[search]") {
    Scenario scenario = specs::scenario(specs::llama8B(), specs::plan(2, 1, 8), 4096, 64, 1);
    std::int64_t length = 100;
    for (auto& replica : scenario.workload.replicas) {
        for (MicroBatch& microBatch : replica) microBatch.documents = {length += 50, 4096 - length};
    }
    const SearchResult result = search(searchAround(scenario));
    REQUIRE_FALSE(result.best.empty());
    std::set<int> replicas;
    for (const RankedPlan& ranked : result.best) replicas.insert(ranked.plan.dp);
    CHECK(replicas.size() > 1);
}
