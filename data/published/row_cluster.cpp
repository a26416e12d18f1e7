#include "data/published/row_cluster.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace orrery {
namespace {

struct NodeLink {
    std::string_view gpu;
    double gigabytesPerSecond;  // per GPU and direction, vendor data sheets
    double networkGbps;         // per GPU, of the machines these GPUs are usually sold in
    double hopMicroseconds;
};

// NVLink: 12 links of 25 GB/s (A100), 8 of them (A800, H800), 18 of 25 (H100, H200), 18 of 50 (Blackwell): NVIDIA data
// sheets. V100 in a DGX-1 has 6 links of 25 GB/s, of which a ring uses 4 at most pairs. MI250X: Infinity Fabric 4 x 50
// GB/s within a node of Frontier (OLCF user guide). Networks: 8 HDR cards of 200 Gbit/s a DGX A100, 8 NDR of 400 a DGX
// H100 or B200, 4 of 400 a GB200 tray, 4 of 800 a GB300 tray.
constexpr std::array kNodes{
    NodeLink{"A100-40", 300, 200, 2.0},  NodeLink{"A100-80", 300, 200, 2.0},  NodeLink{"A800", 200, 200, 2.0},
    NodeLink{"H100-SXM", 450, 400, 1.5}, NodeLink{"H800", 200, 400, 1.5},     NodeLink{"H200", 450, 400, 1.5},
    NodeLink{"B200", 900, 400, 1.5},     NodeLink{"GB200", 900, 400, 1.5},    NodeLink{"GB300", 900, 800, 1.5},
    NodeLink{"V100-16", 100, 12.5, 2.5}, NodeLink{"V100-32", 100, 12.5, 2.5}, NodeLink{"MI250X-GCD", 50, 100, 3.0},
    NodeLink{"MI300X", 448, 400, 2.0},
};
constexpr NodeLink kUnknown{"", 300, 200, 2.0};
constexpr double kNetworkHopMicroseconds = 6.0;  // GPUDirect RDMA ping-pong over InfiniBand or RoCE
constexpr int kNvl72Domain = 72;

const NodeLink& nodeOf(std::string_view gpu) {
    const auto found = std::find_if(kNodes.begin(), kNodes.end(), [&](const NodeLink& n) { return n.gpu == gpu; });
    return found == kNodes.end() ? kUnknown : *found;
}

/// Gbit/s per GPU that the text of a row states instead of its column.
std::optional<double> networkInText(const TrainingRow& row) {
    if (row.notes.find("4 Omni-Path links per 8-GPU node") != std::string::npos) return 4 * 100.0 / 8.0;
    return std::nullopt;
}

}  // namespace

ClusterSpec clusterOf(const TrainingRow& row, GpuSpec gpu, std::vector<std::string>& assumptions) {
    const NodeLink& node = nodeOf(row.gpu);
    ClusterSpec cluster;
    cluster.gpus = static_cast<int>(*row.gpus);
    cluster.gpusPerNode = std::min(cluster.gpus, static_cast<int>(row.gpusPerNode.value_or(8)));
    const bool rackScale = row.intraLink.find("72") != std::string::npos || row.gpu == "GB200" || row.gpu == "GB300";
    const int domain = std::min(cluster.gpus, rackScale ? kNvl72Domain : cluster.gpusPerNode);
    cluster.name = fmt::format("{} x {}", cluster.gpus, gpu.name);
    cluster.gpu = std::move(gpu);
    cluster.links.push_back({row.intraLink.empty() ? "node" : row.intraLink, domain,
                             BytesPerSecond(node.gigabytesPerSecond * 1e9), Seconds(node.hopMicroseconds * 1e-6),
                             false});
    if (cluster.gpus > domain) {
        double gbps = node.networkGbps;
        if (row.interLinkGbps) {
            gbps = *row.interLinkGbps;
        } else if (const auto stated = networkInText(row)) {
            gbps = *stated;
            assumptions.push_back(fmt::format("network from the notes: {} Gbit/s per GPU", gbps));
        } else {
            assumptions.push_back(fmt::format("network blank: {} Gbit/s per GPU", gbps));
        }
        cluster.links.push_back({"network", cluster.gpus, BytesPerSecond(gbps / 8.0 * 1e9),
                                 Seconds(kNetworkHopMicroseconds * 1e-6), false});
    }
    return cluster;
}

}  // namespace orrery
