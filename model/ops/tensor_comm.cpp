#include "model/ops/tensor_comm.hpp"

#include "model/ops/op_makers.hpp"

namespace orrery {

void TensorComm::enterColumn(OpSequence& out, std::string_view name) const {
    if (!active_ || !sequence_) return;
    out.push_back(collectiveOp(name, OpClass::allGather, Pass::forward, bytes_, CommGroup::tensor,
                               sliced_ ? Overlap::slicedNext : Overlap::none));
}

void TensorComm::leaveRow(OpSequence& out, std::string_view name) const {
    if (!active_) return;
    out.push_back(collectiveOp(name, sequence_ ? OpClass::reduceScatter : OpClass::allReduce, Pass::forward, bytes_,
                               CommGroup::tensor, sliced_ ? Overlap::slicedBefore : Overlap::none));
}

void TensorComm::enterRowBackward(OpSequence& out, std::string_view name) const {
    if (!active_ || !sequence_) return;
    out.push_back(collectiveOp(name, OpClass::allGather, Pass::backwardInput, bytes_, CommGroup::tensor,
                               sliced_ ? Overlap::slicedNext : Overlap::none));
}

void TensorComm::regatherColumn(OpSequence& out, std::string_view name) const {
    if (!active_ || !sequence_) return;
    out.push_back(
        collectiveOp(name, OpClass::allGather, Pass::backwardInput, bytes_, CommGroup::tensor, Overlap::nextKernel));
}

void TensorComm::leaveColumnBackward(OpSequence& out, std::string_view name) const {
    if (!active_) return;
    out.push_back(collectiveOp(name, sequence_ ? OpClass::reduceScatter : OpClass::allReduce, Pass::backwardInput,
                               bytes_, CommGroup::tensor, Overlap::nextKernel));
}

}  // namespace orrery
