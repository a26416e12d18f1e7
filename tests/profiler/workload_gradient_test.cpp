// Every backward pass of the workload against finite differences of its forward pass: along a random direction of an
// input, the loss <random, output> must change as the gradient says.
#include <cmath>
#include <functional>
#include <random>

#include <catch2/catch.hpp>

#include "profiler/workload/annotations.hpp"
#include "profiler/workload/attention.hpp"
#include "profiler/workload/block.hpp"
#include "profiler/workload/operators.hpp"
#include "profiler/workload/stage.hpp"

using namespace orrery;
using namespace orrery::workload;

namespace {

Matrix randomMatrix(Eigen::Index rows, Eigen::Index columns, unsigned seed, float deviation = 1.0F) {
    return Parameter::normal(rows, columns, deviation, seed).value;
}

double inner(const Matrix& a, const Matrix& b) {
    return (a.cast<double>().array() * b.cast<double>().array()).sum();
}

/// `loss` reads `x`; `gradient` is what the backward pass said d loss / d x is.
void checkGradient(Matrix& x, const Matrix& gradient, const std::function<double()>& loss, double tolerance = 5e-3) {
    REQUIRE(gradient.rows() == x.rows());
    REQUIRE(gradient.cols() == x.cols());
    // Towards the gradient itself the derivative is its norm, far above float32's rounding; mixed with a random
    // direction, so that no component can be wrong unseen.
    const double norm = std::sqrt(inner(gradient, gradient));
    REQUIRE(norm > 0.0);
    const Matrix noise = randomMatrix(x.rows(), x.cols(), 991);
    const Matrix direction =
        gradient / static_cast<float>(norm) + noise / static_cast<float>(std::sqrt(inner(noise, noise)));
    const float epsilon = 1e-2F;
    const Matrix origin = x;
    x = origin + epsilon * direction;
    const double up = loss();
    x = origin - epsilon * direction;
    const double down = loss();
    x = origin;
    const double measured = (up - down) / (2.0 * static_cast<double>(epsilon));
    CHECK(measured == Approx(inner(gradient, direction)).epsilon(tolerance));
}

TransformerConfig tinyModel() {
    TransformerConfig config;
    config.layers = 2;
    config.hidden = 24;
    config.heads = 4;
    config.kvHeads = 2;
    config.ffn = 20;
    config.vocab = 17;
    return config;
}

const std::vector<std::int64_t> kDocuments{5, 1, 40, 3};  // 40 > one block of attention
constexpr Eigen::Index kTokens = 49;

}  // namespace

TEST_CASE("linear: both halves of the backward pass are the gradient", "[workload]") {
    Matrix x = randomMatrix(7, 5, 1);
    Parameter weight = Parameter::normal(5, 6, 1.0F, 2);
    const Matrix out = randomMatrix(7, 6, 3);
    Matrix y;
    Matrix dx;
    const auto loss = [&] {
        linearForward({}, x, weight, y);
        return inner(out, y);
    };
    loss();
    linearBackward({}, x, weight, out, dx);
    checkGradient(x, dx, loss);
    checkGradient(weight.value, weight.gradient, loss);
}

TEST_CASE("RMS norm: gradients of input and gain", "[workload]") {
    Matrix x = randomMatrix(6, 12, 4);
    Parameter gain = Parameter::normal(1, 12, 1.0F, 5);
    const Matrix out = randomMatrix(6, 12, 6);
    Matrix y;
    Matrix dx;
    std::vector<float> inverse;
    const auto loss = [&] {
        rmsNormForward({}, x, gain, y, inverse);
        return inner(out, y);
    };
    loss();
    rmsNormBackward({}, x, gain, inverse, out, dx);
    checkGradient(x, dx, loss);
    checkGradient(gain.value, gain.gradient, loss);
}

TEST_CASE("gated activation: gradient of gate and up", "[workload]") {
    Matrix gateUp = randomMatrix(5, 14, 7);
    const Matrix out = randomMatrix(5, 7, 8);
    Matrix y;
    Matrix d;
    const auto loss = [&] {
        swigluForward(gateUp, y);
        return inner(out, y);
    };
    swigluBackward(gateUp, out, d);
    checkGradient(gateUp, d, loss);
}

TEST_CASE("rotary embedding turns back what it turned, and positions start anew in each document", "[workload]") {
    const TransformerConfig config = tinyModel();
    const Matrix before = randomMatrix(kTokens, config.qkvWidth(), 9);
    Matrix turned = before;
    rotary(turned, kDocuments, config.heads + config.kvHeads, config.headDim(), false);
    CHECK((turned.row(0) - before.row(0)).norm() == 0.0F);  // position 0
    CHECK((turned.row(6) - before.row(6)).norm() == 0.0F);  // position 0 of the third document
    CHECK((turned.row(7) - before.row(7)).norm() > 0.1F);
    CHECK((turned.rightCols(config.kvHeads * config.headDim()) - before.rightCols(config.kvHeads * config.headDim()))
              .norm() == 0.0F);  // values do not turn
    rotary(turned, kDocuments, config.heads + config.kvHeads, config.headDim(), true);
    CHECK((turned - before).norm() < 1e-4F * before.norm());
}

TEST_CASE("attention equals the plain formula, document by document", "[workload]") {
    const TransformerConfig config = tinyModel();
    const int d = config.headDim();
    const Matrix qkv = randomMatrix(kTokens, config.qkvWidth(), 10);
    Matrix out;
    AttentionSaved saved;
    attentionForward(config, kDocuments, qkv, out, saved);
    Eigen::Index begin = 0;
    for (const auto length : kDocuments) {
        for (Eigen::Index i = begin; i < begin + length; ++i) {
            for (int head = 0; head < config.heads; ++head) {
                const int kv = head / (config.heads / config.kvHeads);
                Eigen::VectorXd expected = Eigen::VectorXd::Zero(d);
                double sum = 0.0;
                for (Eigen::Index j = begin; j <= i; ++j) {
                    const double score = qkv.row(i)
                                             .segment(head * d, d)
                                             .cast<double>()
                                             .dot(qkv.row(j).segment((config.heads + kv) * d, d).cast<double>());
                    const double weight = std::exp(score / std::sqrt(static_cast<double>(d)));
                    sum += weight;
                    expected +=
                        weight *
                        qkv.row(j).segment((config.heads + config.kvHeads + kv) * d, d).cast<double>().transpose();
                }
                const Eigen::VectorXd got = out.row(i).segment(head * d, d).cast<double>().transpose();
                REQUIRE((got - expected / sum).norm() < 1e-5 * (1.0 + got.norm()));
            }
        }
        begin += length;
    }
}

TEST_CASE("attention: gradient of queries, keys and values with shared heads", "[workload]") {
    const TransformerConfig config = tinyModel();
    Matrix qkv = randomMatrix(kTokens, config.qkvWidth(), 11);
    const Matrix dOut = randomMatrix(kTokens, config.hidden, 12);
    Matrix out;
    Matrix d;
    AttentionSaved saved;
    const auto loss = [&] {
        attentionForward(config, kDocuments, qkv, out, saved);
        return inner(dOut, out);
    };
    loss();
    attentionBackward(config, kDocuments, qkv, out, saved, dOut, d);
    checkGradient(qkv, d, loss);
}

TEST_CASE("embedding: gradients of repeated tokens add up", "[workload]") {
    const std::vector<std::int32_t> tokens{2, 0, 2, 4};
    Parameter table = Parameter::normal(5, 3, 1.0F, 13);
    const Matrix out = randomMatrix(4, 3, 14);
    Matrix y;
    const auto loss = [&] {
        embeddingForward(tokens, table, y);
        return inner(out, y);
    };
    embeddingBackward(tokens, table, out);
    checkGradient(table.value, table.gradient, loss);
    CHECK(table.gradient.row(1).norm() == 0.0F);
}

TEST_CASE("cross-entropy: gradient of the logits; rows without a target have none", "[workload]") {
    const std::vector<std::int32_t> targets{3, -1, 0, 6};
    Matrix logits = randomMatrix(4, 7, 15);
    std::vector<float> logSums;
    const auto loss = [&] { return crossEntropyForward(logits, targets, logSums) * 0.5; };
    loss();
    Matrix gradient = logits;
    crossEntropyBackward(gradient, targets, logSums, 0.5F);
    CHECK(gradient.row(1).norm() == 0.0F);
    checkGradient(logits, gradient, loss);

    const Matrix equal = Matrix::Constant(1, 7, 0.3F);
    CHECK(crossEntropyForward(equal, std::vector<std::int32_t>{2}, logSums) == Approx(std::log(7.0)));
}

TEST_CASE("a whole layer: gradients of its input and of every weight", "[workload]") {
    const TransformerConfig config = tinyModel();
    Block block(config, 0, 3);
    Matrix x = randomMatrix(kTokens, config.hidden, 16);
    const Matrix out = randomMatrix(kTokens, config.hidden, 17);
    BlockActivations saved;
    const auto loss = [&] {
        Matrix y = x;
        block.forward(kDocuments, y, saved);
        return inner(out, y);
    };
    loss();
    Matrix dx = out;
    block.backward(kDocuments, dx, saved);
    checkGradient(x, dx, loss, 1e-2);
    int weights = 0;
    block.forEachParameter([&](Parameter& parameter) {
        checkGradient(parameter.value, parameter.gradient, loss, 1e-2);
        ++weights;
    });
    CHECK(weights == 6);
}

TEST_CASE("the whole model: embedding to loss", "[workload]") {
    JobConfig config;
    config.model = tinyModel();
    config.microBatches = 1;
    Stage stage(config, 0);
    const MicroBatch documents{kDocuments};
    workload::Tokens tokens;
    std::mt19937_64 random(5);
    for (const auto length : kDocuments) {
        for (std::int64_t i = 0; i < length; ++i) {
            tokens.inputs.push_back(static_cast<std::int32_t>(random() % 17));
            tokens.targets.push_back(i + 1 < length ? static_cast<std::int32_t>(random() % 17) : -1);
        }
    }
    Matrix x;
    const auto loss = [&] {
        stage.startStep(0.5F);
        stage.forward(documents, 0, tokens, x);
        return stage.loss();
    };
    loss();
    Matrix dx(kTokens, config.model.hidden);
    stage.backward(documents, 0, tokens, dx);
    stage.forEachParameter(
        [&](Parameter& parameter) { checkGradient(parameter.value, parameter.gradient, loss, 1e-2); });
}
