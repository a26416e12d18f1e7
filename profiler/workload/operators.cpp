#include "profiler/workload/operators.hpp"

#include <cmath>

#include "profiler/workload/annotations.hpp"

namespace orrery::workload {
namespace {
constexpr float kEpsilon = 1e-5F;
constexpr double kRotaryBase = 10000.0;
double bytesOf(double elements) {
    return 4.0 * elements;
}
double sizeOf(const Matrix& m) {
    return static_cast<double>(m.size());
}
}  // namespace

void linearForward(nvtx::Name name, const Matrix& x, const Parameter& weight, Matrix& y) {
    const GemmRange range(name, Pass::forward, x.rows(), weight.value.cols(), x.cols());
    y.resize(x.rows(), weight.value.cols());
    y.noalias() = x * weight.value;
}

void linearBackward(nvtx::Name name, const Matrix& x, Parameter& weight, const Matrix& dy, Matrix& dx) {
    {
        const GemmRange range(name, Pass::backwardInput, dy.rows(), weight.value.rows(), dy.cols());
        dx.resize(dy.rows(), weight.value.rows());
        dx.noalias() = dy * weight.value.transpose();
    }
    const GemmRange range(name, Pass::backwardWeight, x.cols(), dy.cols(), x.rows());
    weight.gradient.noalias() += x.transpose() * dy;
}

void rmsNormForward(nvtx::Name name, const Matrix& x, const Parameter& gain, Matrix& y,
                    std::vector<float>& inverseRms) {
    const MemoryRange range(name, OpClass::norm, Pass::forward, bytesOf(2.0 * sizeOf(x)), 4.0 * sizeOf(x));
    y.resize(x.rows(), x.cols());
    inverseRms.resize(static_cast<std::size_t>(x.rows()));
    for (Eigen::Index row = 0; row < x.rows(); ++row) {
        const float inverse = 1.0F / std::sqrt(x.row(row).squaredNorm() / static_cast<float>(x.cols()) + kEpsilon);
        inverseRms[static_cast<std::size_t>(row)] = inverse;
        y.row(row) = (x.row(row) * inverse).cwiseProduct(gain.value.row(0));
    }
}

void rmsNormBackward(nvtx::Name name, const Matrix& x, Parameter& gain, const std::vector<float>& inverseRms,
                     const Matrix& dy, Matrix& dx) {
    const MemoryRange range(name, OpClass::norm, Pass::backwardInput, bytesOf(3.0 * sizeOf(x)), 9.0 * sizeOf(x));
    dx.resize(x.rows(), x.cols());
    const auto width = static_cast<float>(x.cols());
    for (Eigen::Index row = 0; row < x.rows(); ++row) {
        const float inverse = inverseRms[static_cast<std::size_t>(row)];
        gain.gradient.row(0) += dy.row(row).cwiseProduct(x.row(row)) * inverse;
        const float projection = dy.row(row).cwiseProduct(gain.value.row(0)).dot(x.row(row));
        dx.row(row) = dy.row(row).cwiseProduct(gain.value.row(0)) * inverse -
                      x.row(row) * (projection * inverse * inverse * inverse / width);
    }
}

void residualAdd(bool backward, const Matrix& x, Matrix& y) {
    const MemoryRange range(Annotations::instance().residual, OpClass::elementwise,
                            backward ? Pass::backwardInput : Pass::forward, bytesOf(3.0 * sizeOf(x)), sizeOf(x));
    y += x;
}

void swigluForward(const Matrix& gateUp, Matrix& out) {
    const Eigen::Index width = gateUp.cols() / 2;
    const double elements = static_cast<double>(gateUp.rows() * width);
    const MemoryRange range(Annotations::instance().mlpAct, OpClass::elementwise, Pass::forward,
                            bytesOf(3.0 * elements), 5.0 * elements);
    out.resize(gateUp.rows(), width);
    const auto gate = gateUp.leftCols(width).array();
    out.array() = gate / (1.0F + (-gate).exp()) * gateUp.rightCols(width).array();
}

void swigluBackward(const Matrix& gateUp, const Matrix& dOut, Matrix& dGateUp) {
    const Eigen::Index width = gateUp.cols() / 2;
    const double elements = static_cast<double>(gateUp.rows() * width);
    const MemoryRange range(Annotations::instance().mlpAct, OpClass::elementwise, Pass::backwardInput,
                            bytesOf(5.0 * elements), 10.0 * elements);
    dGateUp.resize(gateUp.rows(), gateUp.cols());
    for (Eigen::Index row = 0; row < gateUp.rows(); ++row) {
        const auto gate = gateUp.row(row).leftCols(width).array();
        const auto up = gateUp.row(row).rightCols(width).array();
        const Eigen::Array<float, 1, Eigen::Dynamic, Eigen::RowMajor> sigmoid = 1.0F / (1.0F + (-gate).exp());
        const auto gradient = dOut.row(row).array();
        dGateUp.row(row).leftCols(width) = (gradient * up * sigmoid * (1.0F + gate * (1.0F - sigmoid))).matrix();
        dGateUp.row(row).rightCols(width) = (gradient * gate * sigmoid).matrix();
    }
}

void rotary(Matrix& qkv, std::span<const std::int64_t> documents, int rotatedHeads, int headDim, bool inverse) {
    const double elements = static_cast<double>(qkv.rows()) * rotatedHeads * headDim;
    const MemoryRange range(Annotations::instance().rotary, OpClass::elementwise,
                            inverse ? Pass::backwardInput : Pass::forward, bytesOf(2.0 * elements), 3.0 * elements);
    const int half = headDim / 2;
    Eigen::ArrayXf frequency(half);
    for (int i = 0; i < half; ++i) frequency[i] = static_cast<float>(std::pow(kRotaryBase, -2.0 * i / headDim));
    Eigen::ArrayXf sine(half);
    Eigen::ArrayXf cosine(half);
    Eigen::Index row = 0;
    for (const auto length : documents) {
        for (std::int64_t position = 0; position < length; ++position, ++row) {
            cosine = (frequency * static_cast<float>(position)).cos();
            sine = (frequency * static_cast<float>(inverse ? -position : position)).sin();
            for (int head = 0; head < rotatedHeads; ++head) {
                float* first = qkv.row(row).data() + head * headDim;
                float* second = first + half;
                for (int i = 0; i < half; ++i) {
                    const float a = first[i];
                    const float b = second[i];
                    first[i] = a * cosine[i] - b * sine[i];
                    second[i] = a * sine[i] + b * cosine[i];
                }
            }
        }
    }
}

void embeddingForward(std::span<const std::int32_t> tokens, const Parameter& table, Matrix& out) {
    const auto rows = static_cast<Eigen::Index>(tokens.size());
    const MemoryRange range(Annotations::instance().embedding, OpClass::embedding, Pass::forward,
                            bytesOf(2.0 * static_cast<double>(rows * table.value.cols())), 0.0);
    out.resize(rows, table.value.cols());
    for (Eigen::Index row = 0; row < rows; ++row) out.row(row) = table.value.row(tokens[static_cast<std::size_t>(row)]);
}

void embeddingBackward(std::span<const std::int32_t> tokens, Parameter& table, const Matrix& dOut) {
    const MemoryRange range(Annotations::instance().embedding, OpClass::embedding, Pass::backwardWeight,
                            bytesOf(3.0 * sizeOf(dOut)), sizeOf(dOut));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        table.gradient.row(tokens[i]) += dOut.row(static_cast<Eigen::Index>(i));
    }
}

double crossEntropyForward(const Matrix& logits, std::span<const std::int32_t> targets, std::vector<float>& logSums) {
    const MemoryRange range(Annotations::instance().crossEntropy, OpClass::crossEntropy, Pass::forward,
                            bytesOf(sizeOf(logits)), 4.0 * sizeOf(logits));
    logSums.resize(targets.size());
    double loss = 0.0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto line = logits.row(static_cast<Eigen::Index>(i)).array();
        const float peak = line.maxCoeff();
        logSums[i] = peak + std::log((line - peak).exp().sum());
        if (targets[i] >= 0) loss += static_cast<double>(logSums[i] - line[targets[i]]);
    }
    return loss;
}

void crossEntropyBackward(Matrix& logits, std::span<const std::int32_t> targets, const std::vector<float>& logSums,
                          float scale) {
    const MemoryRange range(Annotations::instance().crossEntropy, OpClass::crossEntropy, Pass::backwardInput,
                            bytesOf(2.0 * sizeOf(logits)), 3.0 * sizeOf(logits));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        auto line = logits.row(static_cast<Eigen::Index>(i)).array();
        if (targets[i] < 0) {
            line.setZero();
            continue;
        }
        line = (line - logSums[i]).exp() * scale;
        line[targets[i]] -= scale;
    }
}

}  // namespace orrery::workload
