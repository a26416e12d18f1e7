#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "profiler/bench/sweep.hpp"
#include "profiler/workload/annotations.hpp"
#include "profiler/workload/attention.hpp"
#include "profiler/workload/operators.hpp"

namespace orrery::bench {
namespace {

using namespace workload;

struct Gemm {
    int m, n, k;
};

/// Rows of tokens times weights of transformers: from products that latency rules to those that arithmetic does.
std::vector<Gemm> gemms(SweepSize size) {
    std::vector<Gemm> out;
    const std::vector<int> tokens =
        size.quick ? std::vector<int>{32, 128} : std::vector<int>{16, 64, 128, 256, 512, 1024};
    const std::vector<std::pair<int, int>> weights =
        size.quick ? std::vector<std::pair<int, int>>{{128, 128}, {384, 256}}
                   : std::vector<std::pair<int, int>>{{128, 128}, {256, 256},  {512, 512},  {768, 256},
                                                      {256, 704}, {1408, 256}, {1024, 512}, {2048, 1024}};
    for (const int m : tokens) {
        for (const auto& [n, k] : weights) out.push_back({m, n, k});
    }
    return out;
}

std::vector<std::vector<std::int64_t>> documents(SweepSize size) {
    if (size.quick) return {{64}, {32, 96}};
    return {{64}, {128}, {256}, {512}, {1024}, {64, 64, 64, 64}, {300, 100, 50, 62}, {700, 324}};
}

std::vector<Eigen::Index> elements(SweepSize size) {
    if (size.quick) return {1 << 12, 1 << 16};
    return {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22};
}

}  // namespace

/// Inputs, made once: making them is not part of what is measured.
struct CpuSweep::Data {
    struct Product {
        Matrix x, y, dx;
        Parameter weight;
    };
    struct Attention {
        TransformerConfig config;
        std::vector<std::int64_t> documents;
        Matrix qkv, out, dOut, dQkv;
        AttentionSaved saved;
    };
    struct Elements {
        Matrix x, y, gate, half;
        Parameter gain;
        std::vector<float> inverseRms;
    };
    std::vector<Product> products;
    std::vector<Attention> attentions;
    std::vector<Elements> elements;
};

CpuSweep::CpuSweep(SweepSize size) : data_(new Data), size_(size) {
    std::uint64_t seed = 1;
    for (const auto& [m, n, k] : gemms(size)) {
        Data::Product product;
        product.weight = Parameter::normal(k, n, 0.1F, ++seed);
        product.x = Parameter::normal(m, k, 1.0F, ++seed).value;
        product.y = Matrix::Zero(m, n);
        product.dx = Matrix::Zero(m, k);
        data_->products.push_back(std::move(product));
    }
    for (const auto& lengths : documents(size)) {
        Data::Attention attention;
        attention.documents = lengths;
        Eigen::Index tokens = 0;
        for (const auto length : lengths) tokens += length;
        attention.qkv = Parameter::normal(tokens, attention.config.qkvWidth(), 1.0F, ++seed).value;
        attention.dOut = Parameter::normal(tokens, attention.config.hidden, 1.0F, ++seed).value;
        attention.out = Matrix::Zero(tokens, attention.config.hidden);
        attention.dQkv = Matrix::Zero(tokens, attention.config.qkvWidth());
        data_->attentions.push_back(std::move(attention));
    }
    constexpr Eigen::Index kWidth = 256;
    for (const auto count : elements(size)) {
        const Eigen::Index rows = std::max<Eigen::Index>(1, count / kWidth);
        Data::Elements sizes;
        sizes.x = Parameter::normal(rows, kWidth, 1.0F, ++seed).value;
        sizes.y = sizes.x;
        sizes.gate = Parameter::normal(rows, 2 * kWidth, 1.0F, ++seed).value;
        sizes.half = sizes.x;
        sizes.gain = Parameter::constant(1, kWidth, 1.0F);
        data_->elements.push_back(std::move(sizes));
    }
}

CpuSweep::~CpuSweep() {
    delete data_;
}

void CpuSweep::run() {
    const auto& a = Annotations::instance();
    for (auto& product : data_->products) {
        linearForward(a.qkv, product.x, product.weight, product.y);
        linearBackward(a.qkv, product.x, product.weight, product.y, product.dx);
    }
    for (auto& attention : data_->attentions) {
        attentionForward(attention.config, attention.documents, attention.qkv, attention.out, attention.saved);
        attentionBackward(attention.config, attention.documents, attention.qkv, attention.out, attention.saved,
                          attention.dOut, attention.dQkv);
    }
    const nvtx::Name copyName = a.domain.name("copy");
    for (auto& sizes : data_->elements) {
        rmsNormForward(a.mlpNorm, sizes.x, sizes.gain, sizes.y, sizes.inverseRms);
        residualAdd(false, sizes.x, sizes.y);
        swigluForward(sizes.gate, sizes.half);
        const auto bytes = static_cast<std::size_t>(sizes.x.size()) * sizeof(float);
        const MemoryRange range(copyName, OpClass::copy, Pass::forward, 2.0 * static_cast<double>(bytes), 0.0);
        std::memcpy(sizes.y.data(), sizes.x.data(), bytes);
    }
}

}  // namespace orrery::bench
