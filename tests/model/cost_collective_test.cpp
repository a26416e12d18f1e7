// Collectives: the closed forms, what levels and strides do to them, and laws that hold for every input.
#include <cmath>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "model/cost/collective_forms.hpp"
#include "model/cost/collective_law.hpp"
#include "model/cost/cost_model.hpp"

using namespace orrery;

namespace {

ClusterSpec dgx(int nodes) {
    ClusterSpec spec;
    spec.gpu.name = "TestGPU";
    spec.gpu.peaks[DType::bf16] = 300_TFLOPps;
    spec.gpu.memoryBandwidth = 2000_GBps;
    spec.gpus = 8 * nodes;
    spec.gpusPerNode = 8;
    spec.links.push_back({"NVLink", 8, 300_GBps, 2_us, false});
    if (nodes > 1) spec.links.push_back({"IB", 8 * nodes, 25_GBps, 5_us, false});
    return spec;
}

PathRates exactRates(const GroupPath& path) {
    PathRates rates{};
    for (int i = 0; i < path.count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        rates[index] = {path.tiers[index].level->bandwidth, path.tiers[index].level->latency};
    }
    return rates;
}

}  // namespace

TEST_CASE("bus factors are those of nccl-tests", "[collective]") {
    CHECK(busFactor(OpClass::allReduce, 8) == Approx(2.0 * 7 / 8));
    CHECK(busFactor(OpClass::allGather, 8) == Approx(7.0 / 8));
    CHECK(busFactor(OpClass::reduceScatter, 8) == Approx(7.0 / 8));
    CHECK(busFactor(OpClass::allToAll, 8) == Approx(7.0 / 8));
    CHECK(busFactor(OpClass::sendRecv, 2) == 1.0);
    CHECK(busFactor(OpClass::allReduce, 1) == 0.0);
}

TEST_CASE("a ring all-reduce in one node takes 2(n-1) steps of bytes/n", "[collective]") {
    const ClusterSpec cluster = dgx(1);
    const GroupPath path = pathOf({"dp", 8, 1}, cluster);
    const Seconds t = ringTime(OpClass::allReduce, 1_GB, path, exactRates(path));
    CHECK(t.value() == Approx(14 * 2e-6 + 14.0 / 8 * 1e9 / 300e9));
    CHECK(ringTime(OpClass::allGather, 1_GB, path, exactRates(path)).value() == Approx(t.value() / 2));
}

TEST_CASE("members of a node pool their network cards; a strided group has one each", "[collective]") {
    const ClusterSpec cluster = dgx(4);
    const GroupPath whole = pathOf({"dp", 32, 1}, cluster);
    REQUIRE(whole.count == 2);
    CHECK(whole.tiers[1].members == 8.0);
    CHECK(whole.tiers[1].fanOut == 4.0);
    const GroupPath strided = pathOf({"dp", 4, 8}, cluster);
    REQUIRE(strided.count == 1);
    CHECK(strided.tiers[0].level->name == "IB");
    CHECK(strided.tiers[0].members == 1.0);
    const double pooled = ringTime(OpClass::allGather, 1_GB, whole, exactRates(whole)).value();
    const double single = ringTime(OpClass::allGather, 1_GB, strided, exactRates(strided)).value();
    CHECK(pooled == Approx(28 * 2e-6 + 3 * 5e-6 + 31.0 / 32 * 1e9 / 200e9));  // 8 x 25 GB/s < 300 GB/s
    CHECK(single == Approx(3 * 5e-6 + 3.0 / 4 * 1e9 / 25e9));
}

TEST_CASE("a tree beats the ring for small buffers over many nodes only", "[collective]") {
    const ClusterSpec cluster = dgx(128);
    const GroupPath path = pathOf({"dp", 1024, 1}, cluster);
    const PathRates rates = exactRates(path);
    CHECK(treeTime(1_MiB, path, rates) < ringTime(OpClass::allReduce, 1_MiB, path, rates));
    CHECK(treeTime(64_GiB, path, rates) > ringTime(OpClass::allReduce, 64_GiB, path, rates));
}

TEST_CASE("a group of one costs nothing", "[collective]") {
    const CostModel model(dgx(2), {});
    for (const OpClass kind : {OpClass::allReduce, OpClass::allGather, OpClass::reduceScatter, OpClass::allToAll}) {
        CHECK(model.collective(kind, 1_GiB, {"dp", 1, 1}).time == Seconds{});
    }
}

TEST_CASE("a faster link, a shorter hop or fewer bytes never make a collective slower", "[collective]") {
    rc::check([] {
        const int nodes = *rc::gen::inRange(1, 20);
        const int stride = *rc::gen::element(1, 2, 4, 8);
        const int size = std::max(2, *rc::gen::inRange(2, 8 * nodes + 1) / stride);
        if (size * stride > 8 * nodes) return;
        const Bytes bytes(std::pow(2.0, *rc::gen::inRange(4, 34)));
        const auto kind = *rc::gen::element(OpClass::allReduce, OpClass::allGather, OpClass::allToAll);
        const Group group{"g", size, stride};
        const Seconds base = CostModel(dgx(nodes), {}).collective(kind, bytes, group).time;
        RC_ASSERT(CostModel(dgx(nodes), {}).collective(kind, bytes / 2.0, group).time <= base);
        for (std::size_t level = 0; level < dgx(nodes).links.size(); ++level) {
            ClusterSpec faster = dgx(nodes);
            faster.links[level].bandwidth = faster.links[level].bandwidth * 3.0;
            faster.links[level].latency = faster.links[level].latency / 2.0;
            RC_ASSERT(CostModel(faster, {}).collective(kind, bytes, group).time <= base);
        }
    });
}

TEST_CASE("a transfer across nodes is slower than inside one", "[collective]") {
    const CostModel model(dgx(2), {});
    CHECK(model.transfer(64_MiB, 8).time > 3.0 * model.transfer(64_MiB, 1).time);
}

TEST_CASE("the fastest regime of a fitted collective wins at each size", "[collective]") {
    CollectiveLaw law;
    law.kind = OpClass::allGather;
    law.regimes = {{10_us, 1_us, 10_GBps}, {30_us, 1_us, 100_GBps}};
    CHECK(regimeTime(law, 2, 1000_B).value() == Approx(11e-6 + 0.5 * 1000 / 10e9));
    CHECK(regimeTime(law, 2, 1_GB).value() == Approx(31e-6 + 0.5 * 1e9 / 100e9));
}

TEST_CASE("switches that reduce reach what nccl-tests measured, without calibration", "[collective]") {
    ClusterSpec h100 = dgx(1);
    h100.links[0] = {"NVLink4", 8, 450_GBps, 2_us, true};
    // All-reduce of 4 GiB on 8 H100, NVLink SHARP: 15.749 ms (NVIDIA/dgxc-benchmarking, nccl/README.md).
    const Group node{"tp", 8, 1};
    CHECK(CostModel(h100, {}).collective(OpClass::allReduce, 4_GiB, node).time.value() ==
          Approx(15.749e-3).epsilon(0.08));
    // 8 GiB on 64 H100, InfiniBand SHARP: 43.98 ms (coreweave/nccl-tests, README.md).
    ClusterSpec eight = dgx(8);
    eight.links[0] = {"NVLink4", 8, 450_GBps, 2_us, false};
    eight.links[1] = {"InfiniBand NDR", 64, 50_GBps, 5_us, true};
    const Group all{"dp", 64, 1};
    CHECK(CostModel(eight, {}).collective(OpClass::allReduce, 8_GiB, all).time.value() ==
          Approx(43.98e-3).epsilon(0.08));
    ClusterSpec plain = eight;
    plain.links[1].inNetworkReduction = false;
    for (const Bytes bytes : {64_KiB, 1_MiB, 1_GiB}) {
        CHECK(CostModel(eight, {}).collective(OpClass::allReduce, bytes, all).time <=
              CostModel(plain, {}).collective(OpClass::allReduce, bytes, all).time);
    }
}
