#include "profiler/workload/stage.hpp"

#include <cmath>
#include <numeric>

#include "profiler/workload/annotations.hpp"
#include "profiler/workload/operators.hpp"

namespace orrery::workload {

Stage::Stage(const JobConfig& config, int stage) : stage_(stage), stages_(config.pp) {
    const std::vector<int> layers = stageLayers(config);
    const int first = std::accumulate(layers.begin(), layers.begin() + stage, 0);
    const int count = layers[static_cast<std::size_t>(stage)];
    for (int layer = first; layer < first + count; ++layer) blocks_.emplace_back(config.model, layer, config.seed);
    const float deviation = 1.0F / std::sqrt(static_cast<float>(config.model.hidden));
    if (isFirst()) {
        embedding_ =
            Parameter::normal(config.model.vocab, config.model.hidden, 1.0F, config.seed * 1'000'003ULL + 900'001);
    }
    if (isLast()) {
        finalNorm_ = Parameter::constant(1, config.model.hidden, 1.0F);
        output_ =
            Parameter::normal(config.model.hidden, config.model.vocab, deviation, config.seed * 1'000'003ULL + 900'002);
    }
    slots_.resize(static_cast<std::size_t>(config.microBatches));
    for (auto& slot : slots_) slot.blocks.resize(blocks_.size());
}

void Stage::forward(const MicroBatch& microBatch, int slot, const Tokens& tokens, Matrix& x) {
    const Annotations& names = Annotations::instance();
    Saved& saved = slots_[static_cast<std::size_t>(slot)];
    if (isFirst()) embeddingForward(tokens.inputs, embedding_, x);
    for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].forward(microBatch.documents, x, saved.blocks[i]);
    if (!isLast()) return;
    saved.final = x;
    rmsNormForward(names.finalNorm, saved.final, finalNorm_, saved.finalNormed, saved.inverseRms);
    linearForward(names.output, saved.finalNormed, output_, saved.logits);
    loss_ += crossEntropyForward(saved.logits, tokens.targets, saved.logSums) * static_cast<double>(lossScale_);
}

void Stage::backward(const MicroBatch& microBatch, int slot, const Tokens& tokens, Matrix& dx) {
    const Annotations& names = Annotations::instance();
    Saved& saved = slots_[static_cast<std::size_t>(slot)];
    if (isLast()) {
        crossEntropyBackward(saved.logits, tokens.targets, saved.logSums, lossScale_);
        linearBackward(names.output, saved.finalNormed, output_, saved.logits, scratch_);
        rmsNormBackward(names.finalNorm, saved.final, finalNorm_, saved.inverseRms, scratch_, dx);
    }
    for (std::size_t i = blocks_.size(); i-- > 0;) blocks_[i].backward(microBatch.documents, dx, saved.blocks[i]);
    if (isFirst()) embeddingBackward(tokens.inputs, embedding_, dx);
}

void Stage::forEachParameter(const std::function<void(Parameter&)>& visit) {
    if (isFirst()) visit(embedding_);
    for (auto& block : blocks_) block.forEachParameter(visit);
    if (isLast()) {
        visit(finalNorm_);
        visit(output_);
    }
}

void Stage::startStep(float lossScale) {
    lossScale_ = lossScale;
    loss_ = 0.0;
}

}  // namespace orrery::workload
