#include "profiler/workload/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "profiler/workload/adam.hpp"
#include "profiler/workload/annotations.hpp"
#include "profiler/workload/batch.hpp"
#include "profiler/workload/pipeline_order.hpp"
#include "profiler/workload/stage.hpp"

namespace orrery::workload {
namespace {

constexpr double kMaxGradientNorm = 1.0;

class StepRange : nvtx::Range {
  public:
    explicit StepRange(int step)
        : Range(Annotations::instance().domain, Annotations::instance().step, Annotations::instance().stepName,
                Annotations::instance().stepSchema, {step}) {}
};

class TaskRange : nvtx::Range {
  public:
    TaskRange(nvtx::Name name, Phase phase, int step, int stage, int index, const MicroBatch* microBatch)
        : Range(Annotations::instance().domain, Annotations::instance().task, name, Annotations::instance().taskSchema,
                {step, static_cast<int>(phase), index, stage, 0, microBatch != nullptr ? microBatch->tokens() : 0,
                 microBatch != nullptr ? std::ssize(microBatch->documents) : 0,
                 microBatch != nullptr ? microBatch->causalPairs() : 0.0}) {}
};

/// One process's part of a step.
class StepRunner {
  public:
    StepRunner(const JobConfig& config, Communicator& communicator, Stage& stage, const Corpus& corpus)
        : config_(config), communicator_(communicator), stage_(stage), corpus_(corpus) {
        order_ = pipelineOrder(config.schedule, communicator.stage(), config.pp, config.microBatches);
    }

    StepResult run(int step) {
        const Workload documents = corpus_.documents(step);
        const auto& mine = documents.replicas[static_cast<std::size_t>(communicator_.replica())];
        std::vector<Tokens> tokens;
        for (int i = 0; i < config_.microBatches; ++i) {
            tokens.push_back(corpus_.tokens(mine[static_cast<std::size_t>(i)], step, communicator_.replica(), i));
        }
        stage_.startStep(static_cast<float>(1.0 / targetCount(documents)));
        Communicator::barrier();

        // The clock starts with the barrier behind us, as the step range does: reading text is not the
        // step.
        const auto start = std::chrono::steady_clock::now();
        {
            const StepRange range(step);
            for (const PipelineTask task : order_) {
                const auto index = static_cast<std::size_t>(task.microBatch);
                task.forward ? forward(step, task.microBatch, mine[index], tokens[index])
                             : backward(step, task.microBatch, mine[index], tokens[index]);
            }
            communicator_.reduceGradients(stage_, step);
            optimize(step);
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        communicator_.finishSends();
        return {Communicator::sumQuietly(stage_.loss()), seconds.count()};
    }

  private:
    void forward(int step, int index, const MicroBatch& microBatch, const Tokens& tokens) {
        if (!stage_.isFirst()) {
            activations_.resize(microBatch.tokens(), config_.model.hidden);
            communicator_.receive(true, activations_, index, step);
        }
        {
            const TaskRange range(Annotations::instance().forward, Phase::forward, step, communicator_.stage(), index,
                                  &microBatch);
            stage_.forward(microBatch, index, tokens, activations_);
        }
        if (!stage_.isLast()) communicator_.send(true, activations_, index, step);
    }

    void backward(int step, int index, const MicroBatch& microBatch, const Tokens& tokens) {
        gradients_.resize(microBatch.tokens(), config_.model.hidden);
        if (!stage_.isLast()) communicator_.receive(false, gradients_, index, step);
        {
            const TaskRange range(Annotations::instance().backward, Phase::backward, step, communicator_.stage(), index,
                                  &microBatch);
            stage_.backward(microBatch, index, tokens, gradients_);
        }
        if (!stage_.isFirst()) communicator_.send(false, gradients_, index, step);
    }

    void optimize(int step) {
        // Clipping needs the norm over all stages; replicas hold the same sum, so each counts its share.
        const double squares = communicator_.sumOverAll(gradientSquares(stage_) / config_.dp, step);
        const TaskRange range(Annotations::instance().optimizerTask, Phase::optimizer, step, communicator_.stage(), -1,
                              nullptr);
        const double norm = std::sqrt(squares);
        const auto clip = static_cast<float>(std::min(1.0, kMaxGradientNorm / std::max(norm, 1e-12)));
        adamStep(stage_, step + 1, config_.learningRate, clip);
    }

    const JobConfig& config_;
    Communicator& communicator_;
    Stage& stage_;
    const Corpus& corpus_;
    std::vector<PipelineTask> order_;
    Matrix activations_, gradients_;
};

}  // namespace

std::vector<StepResult> train(const JobConfig& config, const Corpus& corpus, Communicator& communicator) {
    Stage stage(config, communicator.stage());
    StepRunner runner(config, communicator, stage, corpus);
    std::vector<StepResult> results;
    for (int step = 0; step < config.allSteps(); ++step) results.push_back(runner.run(step));
    return results;
}

}  // namespace orrery::workload
