#include "model/ops/optimizer_ops.hpp"

#include "model/ops/op_makers.hpp"

namespace orrery {
namespace {
constexpr double kFloat = 4.0;
constexpr double kAdamFlops = 12.0;  // two moving averages, bias correction, square root, division, decay, update
}  // namespace

Bytes optimizerStateSize(const ParallelPlan& plan) {
    const bool masterCopy = elementSize(plan.parameterType).value() < kFloat;
    return Bytes(kFloat * (masterCopy ? 3.0 : 2.0));
}

PlacedOp optimizerStep(const ParallelPlan& plan, double parameters) {
    const Formats formats = formatsOf(plan);
    const double state = 2.0 * optimizerStateSize(plan).value();
    const double gradient = 2.0 * formats.gradientSize;
    // With a master copy the weight is only written; without, it is the weight that is read and updated.
    const double weight = formats.storageSize < kFloat ? formats.storageSize : 2.0 * formats.storageSize;
    PlacedOp op = memoryOp("optimizer", OpClass::optimizer, Pass::optimizer, (state + gradient + weight) * parameters,
                           kAdamFlops * parameters, formats);
    return op;
}

PlacedOp gradientNorm(const ParallelPlan& plan, double parameters) {
    const Formats formats = formatsOf(plan);
    return memoryOp("grad_norm", OpClass::optimizer, Pass::optimizer, formats.gradientSize * parameters,
                    2.0 * parameters, formats);
}

}  // namespace orrery
