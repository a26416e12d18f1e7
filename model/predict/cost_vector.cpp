#include "model/predict/cost_vector.hpp"

#include <numeric>

namespace orrery {

std::string_view name(CostClass cls) {
    static constexpr std::array<std::string_view, kCostClasses> kNames{
        "gemm",    "attention", "norm",    "elementwise", "embedding", "cross_entropy", "optimizer", "tp_comm",
        "dp_comm", "pp_comm",   "cp_comm", "ep_comm",     "recompute", "host",          "bubble"};
    return kNames[static_cast<std::size_t>(cls)];
}

CostClass costClassOf(const PlacedOp& op) {
    switch (op.group) {
        case CommGroup::tensor:
            return CostClass::tensorComm;
        case CommGroup::context:
        case CommGroup::contextAllToAll:
            return CostClass::contextComm;
        case CommGroup::expert:
        case CommGroup::expertTensor:
            return CostClass::expertComm;
        case CommGroup::data:
        case CommGroup::embedding:
            return CostClass::dataComm;
        case CommGroup::none:
            break;
    }
    switch (op.op.cls) {
        case OpClass::gemm:
        case OpClass::groupedGemm:
            return CostClass::gemm;
        case OpClass::attention:
            return CostClass::attention;
        case OpClass::norm:
            return CostClass::norm;
        case OpClass::embedding:
            return CostClass::embedding;
        case OpClass::crossEntropy:
            return CostClass::crossEntropy;
        case OpClass::optimizer:
            return CostClass::optimizer;
        case OpClass::host:
            return CostClass::host;
        default:
            return CostClass::elementwise;
    }
}

bool isCommunication(CostClass cls) {
    return cls >= CostClass::tensorComm && cls <= CostClass::expertComm;
}

double CostVector::total() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double CostVector::communication() const {
    double sum = 0.0;
    for (auto i = static_cast<std::size_t>(CostClass::tensorComm); i <= static_cast<std::size_t>(CostClass::expertComm);
         ++i) {
        sum += seconds[i];
    }
    return sum;
}

void CostVector::stretch(double speed) {
    for (std::size_t i = 0; i < kCostClasses; ++i) {
        const auto cls = static_cast<CostClass>(i);
        if (!isCommunication(cls) && cls != CostClass::bubble) seconds[i] /= speed;
    }
}

}  // namespace orrery
