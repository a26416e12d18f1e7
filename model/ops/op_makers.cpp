#include "model/ops/op_makers.hpp"

namespace orrery {

Formats formatsOf(const ParallelPlan& plan) {
    Formats formats;
    formats.compute = plan.precision;
    formats.storage = plan.parameterType;
    formats.gradient = plan.gradientType;
    formats.computeSize = elementSize(plan.precision).value();
    formats.storageSize = elementSize(plan.parameterType).value();
    formats.gradientSize = elementSize(plan.gradientType).value();
    return formats;
}

PlacedOp gemm(std::string_view name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t groups,
              const Formats& formats) {
    const auto rows = static_cast<double>(m);
    const auto columns = static_cast<double>(n);
    const auto inner = static_cast<double>(k);
    const auto count = static_cast<double>(groups);
    PlacedOp placed;
    Op& op = placed.op;
    op.cls = OpClass::gemm;
    op.pass = pass;
    op.name = name;
    op.dtype = formats.compute;
    op.m = m;
    op.n = n;
    op.k = k;
    op.groups = groups;
    op.flops = Flops(2.0 * rows * columns * inner * count);
    op.bytes =
        Bytes(count * ((rows * inner + inner * columns) * formats.computeSize + rows * columns * formats.storageSize));
    return placed;
}

PlacedOp groupedGemm(std::string_view name, Pass pass, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::int64_t groups, const Formats& formats) {
    PlacedOp placed = gemm(name, pass, m, n, k, groups, formats);
    placed.op.cls = OpClass::groupedGemm;
    return placed;
}

PlacedOp memoryOp(std::string_view name, OpClass cls, Pass pass, double bytes, double flops, const Formats& formats) {
    PlacedOp placed;
    placed.op.cls = cls;
    placed.op.pass = pass;
    placed.op.name = name;
    placed.op.dtype = formats.storage;
    placed.op.bytes = Bytes(bytes);
    placed.op.flops = Flops(flops);
    return placed;
}

PlacedOp collectiveOp(std::string_view name, OpClass kind, Pass pass, double bytes, CommGroup group, Overlap overlap) {
    PlacedOp placed;
    placed.op.cls = kind;
    placed.op.pass = pass;
    placed.op.name = name;
    placed.op.bytes = Bytes(bytes);
    placed.group = group;
    placed.overlap = overlap;
    return placed;
}

PlacedOp linearForward(std::string_view name, std::int64_t tokens, std::int64_t in, std::int64_t out,
                       const Formats& formats) {
    return gemm(name, Pass::forward, tokens, out, in, 1, formats);
}
PlacedOp linearBackwardInput(std::string_view name, std::int64_t tokens, std::int64_t in, std::int64_t out,
                             const Formats& formats) {
    return gemm(name, Pass::backwardInput, tokens, in, out, 1, formats);
}
PlacedOp linearBackwardWeight(std::string_view name, std::int64_t tokens, std::int64_t in, std::int64_t out,
                              const Formats& formats) {
    return gemm(name, Pass::backwardWeight, in, out, tokens, 1, formats);
}

}  // namespace orrery
