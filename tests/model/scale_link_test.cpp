#include "model/calibrate/scale_link.hpp"

#include <catch2/catch.hpp>

#include "model/cost/cost_model.hpp"
#include "tests/model/specs.hpp"

using namespace orrery;

TEST_CASE("A measured link at half the bandwidth takes twice as long for large buffers, and no other link changes",
          "[calibrate]") {
    ClusterSpec cluster = specs::a100(16);
    REQUIRE(cluster.links.size() == 2);
    Calibration calibration;
    CollectiveLaw law;
    law.kind = OpClass::allReduce;
    law.device = cluster.gpu.name;
    law.regimes = {{Seconds(1e-6), Seconds(0.0), BytesPerSecond(200e9)}};
    law.points = {{8, 1, Bytes(1e9), Seconds(0.012), 0.1}};
    law.reach = 1.0;
    calibration.collectives = {law};
    const Bytes bytes(1e9);
    const auto time = [&](const ClusterSpec& c, const Calibration& k, int ranks) {
        return CostModel(c, k).collective(OpClass::allReduce, bytes, Group{"tp", ranks, 1}).time.value();
    };
    ClusterSpec slowCluster = cluster;
    Calibration slow = calibration;
    scaleLink(slowCluster, slow, 0, 0.5);
    CHECK(time(slowCluster, slow, 8) == Approx(2.0 * time(cluster, calibration, 8)).epsilon(0.01));
    CHECK(slow.collectives[0].points[0].time.value() == Approx(0.024).epsilon(0.01));
    ClusterSpec outerCluster = cluster;
    Calibration outer = calibration;
    scaleLink(outerCluster, outer, 1, 0.5);
    CHECK(time(outerCluster, outer, 8) == Approx(time(cluster, calibration, 8)));
    CHECK(time(outerCluster, outer, 16) > time(cluster, calibration, 16));
}
