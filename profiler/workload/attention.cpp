#include "profiler/workload/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/workload/annotations.hpp"

namespace orrery::workload {
namespace {

constexpr Eigen::Index kBlock = 32;  // rows of a block: the diagonal costs kBlock/2 extra pairs a row

struct Work {
    double tokens = 0.0, pairs = 0.0, longest = 0.0;
};

Work workOf(std::span<const std::int64_t> documents) {
    Work work;
    for (const auto length : documents) {
        const auto l = static_cast<double>(length);
        work.tokens += l;
        work.pairs += 0.5 * l * (l + 1.0);
        work.longest = std::max(work.longest, l);
    }
    return work;
}

class AttentionRange : nvtx::Range {
  public:
    /// `products`: matrix products over the pairs; `passes`: how often queries, keys, values or outputs are moved.
    AttentionRange(const TransformerConfig& c, const Work& work, Pass pass, double products, double bytes)
        : Range(Annotations::instance().domain, Annotations::instance().op, Annotations::instance().attention,
                Annotations::instance().attentionSchema,
                {static_cast<int>(pass), static_cast<std::int64_t>(work.tokens), work.pairs,
                 static_cast<std::int64_t>(work.longest), c.heads, c.kvHeads, c.headDim(), c.headDim(),
                 static_cast<std::int64_t>(bytes),
                 static_cast<std::int64_t>(2.0 * products * work.pairs * c.heads * c.headDim())}) {}
};

/// -infinity above the diagonal of the last columns of a block row.
void maskDiagonal(Matrix& scores, Eigen::Index firstRow) {
    for (Eigen::Index i = 0; i < scores.rows(); ++i) {
        const Eigen::Index visible = firstRow + i + 1;
        if (visible < scores.cols()) {
            scores.row(i).tail(scores.cols() - visible).setConstant(-std::numeric_limits<float>::infinity());
        }
    }
}

/// Runs `visit(firstToken, length, firstRow, rows, head)` over all documents, heads and row blocks.
template <typename Visit>
void forEachBlock(const TransformerConfig& config, std::span<const std::int64_t> documents, Visit visit) {
    Eigen::Index first = 0;
    for (const auto length : documents) {
        for (int head = 0; head < config.heads; ++head) {
            for (Eigen::Index row = 0; row < length; row += kBlock) {
                visit(first, row, std::min<Eigen::Index>(kBlock, length - row), head);
            }
        }
        first += length;
    }
}

}  // namespace

void attentionForward(const TransformerConfig& config, std::span<const std::int64_t> documents, const Matrix& qkv,
                      Matrix& out, AttentionSaved& saved) {
    const Work work = workOf(documents);
    const int d = config.headDim();
    const AttentionRange range(config, work, Pass::forward, 2.0,
                               4.0 * work.tokens * d * (2.0 * config.heads + 2.0 * config.kvHeads));
    const Eigen::Index keys = Eigen::Index{config.heads} * d;
    const Eigen::Index values = keys + Eigen::Index{config.kvHeads} * d;
    const int share = config.heads / config.kvHeads;
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    out.resize(qkv.rows(), keys);
    saved.logSum.resize(qkv.rows(), config.heads);
    Matrix scores;
    forEachBlock(config, documents, [&](Eigen::Index first, Eigen::Index row, Eigen::Index rows, int head) {
        const Eigen::Index columns = row + rows;
        const Eigen::Index kv = Eigen::Index{head / share} * d;
        const auto q = qkv.block(first + row, Eigen::Index{head} * d, rows, d);
        const auto k = qkv.block(first, keys + kv, columns, d);
        const auto v = qkv.block(first, values + kv, columns, d);
        scores.resize(rows, columns);
        scores.noalias() = q * k.transpose();
        scores *= scale;
        maskDiagonal(scores, row);
        for (Eigen::Index i = 0; i < rows; ++i) {
            auto line = scores.row(i).array();
            const float peak = line.maxCoeff();
            line = (line - peak).exp();
            const float sum = line.sum();
            line *= 1.0F / sum;
            saved.logSum(first + row + i, head) = peak + std::log(sum);
        }
        out.block(first + row, Eigen::Index{head} * d, rows, d).noalias() = scores * v;
    });
}

void attentionBackward(const TransformerConfig& config, std::span<const std::int64_t> documents, const Matrix& qkv,
                       const Matrix& out, const AttentionSaved& saved, const Matrix& dOut, Matrix& dQkv) {
    const Work work = workOf(documents);
    const int d = config.headDim();
    const AttentionRange range(config, work, Pass::backwardInput, 5.0,
                               4.0 * work.tokens * d * (4.0 * config.heads + 4.0 * config.kvHeads));
    const Eigen::Index keys = Eigen::Index{config.heads} * d;
    const Eigen::Index values = keys + Eigen::Index{config.kvHeads} * d;
    const int share = config.heads / config.kvHeads;
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    dQkv.setZero(qkv.rows(), qkv.cols());
    Matrix probabilities;
    Matrix gradients;
    forEachBlock(config, documents, [&](Eigen::Index first, Eigen::Index row, Eigen::Index rows, int head) {
        const Eigen::Index columns = row + rows;
        const Eigen::Index kv = Eigen::Index{head / share} * d;
        const Eigen::Index at = Eigen::Index{head} * d;
        const auto q = qkv.block(first + row, at, rows, d);
        const auto k = qkv.block(first, keys + kv, columns, d);
        const auto v = qkv.block(first, values + kv, columns, d);
        const auto dO = dOut.block(first + row, at, rows, d);

        probabilities.resize(rows, columns);
        probabilities.noalias() = q * k.transpose();
        probabilities *= scale;
        maskDiagonal(probabilities, row);
        for (Eigen::Index i = 0; i < rows; ++i) {
            probabilities.row(i) = (probabilities.row(i).array() - saved.logSum(first + row + i, head)).exp().matrix();
        }
        dQkv.block(first, values + kv, columns, d).noalias() += probabilities.transpose() * dO;

        gradients.resize(rows, columns);
        gradients.noalias() = dO * v.transpose();
        for (Eigen::Index i = 0; i < rows; ++i) {
            const float delta = dO.row(i).dot(out.block(first + row, at, rows, d).row(i));
            gradients.row(i) = ((gradients.row(i).array() - delta) * probabilities.row(i).array() * scale).matrix();
        }
        dQkv.block(first + row, at, rows, d).noalias() = gradients * k;
        dQkv.block(first, keys + kv, columns, d).noalias() += gradients.transpose() * q;
    });
}

}  // namespace orrery::workload
