#include <fmt/format.h>

#include "data/calibration/calibration_json.hpp"

namespace orrery::calibration_json {

Json write(const CollectiveLaw& law) {
    Json json;
    json["kind"] = name(law.kind);
    json["device"] = law.device;
    json["link"] = law.link;
    json["across_nodes"] = law.acrossNodes;
    json["regimes"] = Json::array();
    for (const CollectiveRegime& regime : law.regimes) {
        json["regimes"].push_back({{"latency_s", regime.latency.value()},
                                   {"hop_latency_s", regime.hopLatency.value()},
                                   {"bus_bandwidth_bytes_per_s", regime.busBandwidth.value()}});
    }
    json["residual"] = law.residual;
    json["interpolation_error"] = law.interpolationError;
    json["reach_log2"] = law.reach;
    json["samples"] = law.samples;
    json["columns"] = {"ranks", "nodes", "bytes", "time_s", "weight"};
    json["measured"] = Json::array();
    for (const CollectivePoint& p : law.points) {
        json["measured"].push_back(Json::array({p.ranks, p.nodes, p.bytes.value(), p.time.value(), p.weight}));
    }
    return json;
}

CollectiveLaw readCollective(const Reader& json) {
    CollectiveLaw law;
    const auto kind = parseOpClass(json.text("kind"));
    if (!kind || !isCollective(*kind)) json.fail(fmt::format("'{}' is not a collective", json.text("kind")));
    law.kind = *kind;
    law.device = json.text("device");
    law.link = json.text("link");
    law.acrossNodes = json.flag("across_nodes");
    for (const Reader& regime : json.list("regimes")) {
        law.regimes.push_back({Seconds(regime.nonNegative("latency_s")), Seconds(regime.nonNegative("hop_latency_s")),
                               BytesPerSecond(regime.nonNegative("bus_bandwidth_bytes_per_s"))});
        if (law.regimes.back().busBandwidth.value() <= 0.0) regime.fail("a bandwidth is not positive");
    }
    if (law.regimes.empty()) json.fail("has no regime");
    law.residual = json.nonNegative("residual");
    law.interpolationError = json.nonNegative("interpolation_error");
    law.reach = json.nonNegative("reach_log2");
    law.samples = static_cast<int>(json.integer("samples"));
    for (const Reader& point : json.list("measured")) {
        const std::vector<double> v = point.numbers(5);
        if (v[0] < 2.0 || v[2] <= 0.0 || v[3] <= 0.0) point.fail("ranks, bytes or time is not positive");
        law.points.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), Bytes(v[2]), Seconds(v[3]), v[4]});
    }
    return law;
}

}  // namespace orrery::calibration_json
