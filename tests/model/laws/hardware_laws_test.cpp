// Better hardware never makes a step slower, whatever the job.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "draw.hpp"

using namespace orrery;

namespace {

double stepOf(const Scenario& scenario) {
    return predict(scenario).metrics.step.value();
}

/// The law for one improvement of the cluster, with what was drawn in the counter-example.
void neverSlower(const std::string& what, void (*improve)(ClusterSpec&, double)) {
    CHECK(rc::check(what, [improve] {
        Scenario scenario = laws::drawScenario();
        const double before = stepOf(scenario);
        improve(scenario.cluster, *rc::gen::element(1.05, 1.5, 4.0, 100.0));
        const double after = stepOf(scenario);
        RC_LOG(fmt::format("{} pp {} vpp {} cp {}: {} -> {}", name(scenario.plan.schedule), scenario.plan.pp,
                           scenario.plan.vpp, scenario.plan.cp, before, after));
        RC_ASSERT(after <= before * (1.0 + laws::kRounding));
    }));
}

}  // namespace

TEST_CASE("better hardware never makes a step of any kind slower", "[laws]") {
    neverSlower("more FLOP/s", [](ClusterSpec& cluster, double gain) {
        for (auto& [dtype, peak] : cluster.gpu.peaks) peak *= gain;
        cluster.gpu.vectorPeak *= gain;
    });
    neverSlower("more memory bandwidth",
                [](ClusterSpec& cluster, double gain) { cluster.gpu.memoryBandwidth *= gain; });
    neverSlower("more link bandwidth", [](ClusterSpec& cluster, double gain) {
        for (LinkLevel& level : cluster.links) level.bandwidth *= gain;
    });
    neverSlower("more bandwidth of the outer link alone",
                [](ClusterSpec& cluster, double gain) { cluster.links.back().bandwidth *= gain; });
    neverSlower("more bandwidth of the inner link alone",
                [](ClusterSpec& cluster, double gain) { cluster.links.front().bandwidth *= gain; });
    neverSlower("lower latency", [](ClusterSpec& cluster, double gain) {
        for (LinkLevel& level : cluster.links) level.latency /= gain;
    });
    neverSlower("shorter launches", [](ClusterSpec& cluster, double gain) { cluster.gpu.launchOverhead /= gain; });
    neverSlower("reduction in the network", [](ClusterSpec& cluster, double) {
        for (LinkLevel& level : cluster.links) level.inNetworkReduction = true;
    });
    neverSlower("faster devices", [](ClusterSpec& cluster, double gain) {
        cluster.deviceSpeed.assign(static_cast<std::size_t>(cluster.gpus), gain);
    });
}

TEST_CASE("a slow device slows a step of any kind, and at most by its factor", "[laws]") {
    CHECK(rc::check("one device at half speed", [] {
        Scenario scenario = laws::drawScenario();
        const double before = stepOf(scenario);
        scenario.cluster.deviceSpeed.assign(static_cast<std::size_t>(scenario.cluster.gpus), 1.0);
        scenario.cluster.deviceSpeed[*rc::gen::inRange<std::size_t>(0, scenario.cluster.deviceSpeed.size())] = 0.5;
        const double after = stepOf(scenario);
        RC_ASSERT(after >= before * (1.0 - laws::kRounding));
        RC_ASSERT(after <= 2.0 * before * (1.0 + laws::kRounding));
    }));
}
