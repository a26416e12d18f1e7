// Wrong specs and plans: one clear line each, with the field and the mend.
#include <functional>

#include <catch2/catch.hpp>

#include "model/units/input_error.hpp"
#include "specs.hpp"

using namespace orrery;
using Catch::Contains;

namespace {

Scenario valid() {
    return specs::scenario(specs::llama8B(), specs::plan(2, 2, 2), 4096, 16, 1);
}

std::string messageOf(const std::function<void(Scenario&)>& spoil) {
    Scenario scenario = valid();
    spoil(scenario);
    try {
        (void)predict(scenario);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a valid scenario predicts", "[spec]") {
    CHECK(messageOf([](Scenario&) {}) == "no error");
}

TEST_CASE("wrong plans are refused with the field and the mend", "[spec]") {
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.tp = 3; }), Contains("tp x pp x dp x cp = 3 x 2 x 2 x 1 = 12"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.tp = -2; }), Contains("tp is -2"));
    CHECK_THAT(messageOf([](Scenario& s) {
                   s.plan.tp = 3;
                   s.cluster = specs::a100(12);
               }),
               Contains("tp 3 does not divide the model's 32 heads"));
    CHECK_THAT(messageOf([](Scenario& s) {
                   s.plan.pp = 64;
                   s.cluster = specs::a100(256);
               }),
               Contains("pp x vpp = 64 is more than the model's 32 layers"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.layersPerStage = {10, 20}; }), Contains("adds up to 30"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.layersPerStage = {32}; }), Contains("has 1 entries"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.layersPerStage = {33, -1}; }), Contains("entry -1"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.vpp = 2; }), Contains("one chunk a stage but vpp is 2"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.schedule = ScheduleKind::interleaved; }), Contains("needs vpp > 1"));
    CHECK_THAT(messageOf([](Scenario& s) { s.plan.ep = 2; }), Contains("the model has no experts"));
}

TEST_CASE("wrong models and workloads are refused with the field and the mend", "[spec]") {
    CHECK_THAT(messageOf([](Scenario& s) { s.model.hidden = -4096; }), Contains("hidden is -4096"));
    CHECK_THAT(messageOf([](Scenario& s) { s.model.layers = 0; }), Contains("layers is 0"));
    CHECK_THAT(messageOf([](Scenario& s) { s.model.kvHeads = 5; }), Contains("not a multiple of 5 kv_heads"));
    CHECK_THAT(messageOf([](Scenario& s) { s.workload.replicas.pop_back(); }), Contains("documents for 1 replicas"));
    CHECK_THAT(messageOf([](Scenario& s) { s.workload.replicas[1].clear(); }),
               Contains("replica 1 has no micro-batch"));
    CHECK_THAT(messageOf([](Scenario& s) {
                   s.workload.replicas[0][0].documents = {5, 0};
               }),
               Contains("a document of 0 tokens"));
    CHECK_THAT(messageOf([](Scenario& s) { s.workload.replicas[0][0].documents.clear(); }),
               Contains("without documents"));
    CHECK_THAT(messageOf([](Scenario& s) { s.cluster.gpus = 0; }), Contains("gpus is 0"));
}

TEST_CASE("names of schedules, recompute modes and shardings are read back", "[spec]") {
    for (const auto kind : {ScheduleKind::gpipe, ScheduleKind::oneFOneB, ScheduleKind::interleaved, ScheduleKind::zbH1,
                            ScheduleKind::zbH2, ScheduleKind::zbV, ScheduleKind::vHalf, ScheduleKind::vMin,
                            ScheduleKind::dualPipe, ScheduleKind::dualPipeV})
        CHECK(parseScheduleKind(name(kind)) == kind);
    for (const auto mode : {Recompute::none, Recompute::selective, Recompute::full})
        CHECK(parseRecompute(name(mode)) == mode);
    for (const auto stage : {Sharding::zero0, Sharding::zero1, Sharding::zero2, Sharding::zero3})
        CHECK(parseSharding(name(stage)) == stage);
    CHECK_FALSE(parseScheduleKind("1F1B ").has_value());
}
