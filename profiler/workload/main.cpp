// orrery-workload: trains a small transformer for real on CPU processes, so that there is a job to record without a
// GPU.
#include <Eigen/Core>
#include <cstdio>
#include <exception>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include "model/units/input_error.hpp"
#include "profiler/workload/communicator.hpp"
#include "profiler/workload/config.hpp"
#include "profiler/workload/scenario_file.hpp"
#include "profiler/workload/trainer.hpp"

namespace {

using namespace orrery::workload;

/// Parses "lognormal:MEAN,SIGMA,MAX".
void parseDistribution(const std::string& text, LengthSource& lengths) {
    char rest = '\0';
    if (std::sscanf(text.c_str(), "lognormal:%lf,%lf,%d%c", &lengths.meanTokens, &lengths.sigma, &lengths.maxTokens,
                    &rest) != 3 ||
        !(lengths.meanTokens >= 1.0) || !(lengths.sigma >= 0.0 && lengths.sigma < 10.0) || lengths.maxTokens < 2) {
        throw orrery::InputError(fmt::format(
            "--length-distribution '{}': write lognormal:MEAN,SIGMA,MAX with MEAN >= 1, SIGMA from 0 to 10, MAX >= 2",
            text));
    }
}

void addOptions(CLI::App& app, JobConfig& config, std::string& distribution) {
    app.add_option("--layers", config.model.layers, "transformer layers")->capture_default_str();
    app.add_option("--hidden", config.model.hidden, "model width")->capture_default_str();
    app.add_option("--heads", config.model.heads, "query heads")->capture_default_str();
    app.add_option("--kv-heads", config.model.kvHeads, "key and value heads")->capture_default_str();
    app.add_option("--ffn", config.model.ffn, "width of the gated MLP")->capture_default_str();
    app.add_option("--vocab", config.model.vocab, "vocabulary")->capture_default_str();
    app.add_option("--pp", config.pp, "pipeline stages")->capture_default_str();
    app.add_option("--dp", config.dp, "data-parallel replicas")->capture_default_str();
    app.add_option("--schedule", config.schedule, "gpipe or 1f1b")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Schedule>{{"gpipe", Schedule::gpipe}, {"1f1b", Schedule::oneFOneB}}));
    app.add_option("--layers-per-stage", config.layersPerStage, "layers of each stage, comma separated")
        ->delimiter(',');
    app.add_option("--micro-batches", config.microBatches, "micro-batches of each replica and step")
        ->capture_default_str();
    app.add_option("--tokens-per-micro-batch", config.tokensPerMicroBatch, "tokens packed into a micro-batch")
        ->capture_default_str();
    app.add_option("--steps", config.steps, "optimizer steps")->capture_default_str();
    app.add_option("--seed", config.seed, "of weights and tokens")->capture_default_str();
    app.add_option("--lengths", config.lengths.file, "document lengths, one a line");
    app.add_option("--length-distribution", distribution, "lognormal:MEAN,SIGMA,MAX (tokens, sigma of ln, tokens)");
    app.add_option("--lengths-seed", config.lengths.seed, "of the drawn lengths")->capture_default_str();
    app.add_flag("--repeat-documents", config.repeatDocuments, "the same document lengths in every step");
    app.add_option("--learning-rate", config.learningRate, "of Adam")->capture_default_str();
    app.add_option("--emit-scenario", config.scenarioFile, "write the job as a scenario for 'orrery predict'");
    app.add_flag("--json", config.json, "print losses and step times as JSON");
}

void print(const JobConfig& config, const std::vector<StepResult>& results) {
    if (!config.json) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            fmt::print("step {:3}  loss {:.6f}  {:.1f} ms\n", i, results[i].loss, results[i].seconds * 1e3);
        }
        return;
    }
    fmt::print("{{\"steps\":[");
    for (std::size_t i = 0; i < results.size(); ++i) {
        fmt::print("{}{{\"step\":{},\"loss\":{:.9g},\"seconds\":{:.9g}}}", i == 0 ? "" : ",", i, results[i].loss,
                   results[i].seconds);
    }
    fmt::print("]}}\n");
}

/// Everything between MPI_Init and MPI_Finalize. Errors are the same on every process; the first one tells.
int job(int argc, char** argv) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    JobConfig config;
    std::string distribution;
    CLI::App app{"orrery-workload: trains a small transformer on CPU processes (start it with mpirun -n PPxDP)",
                 "orrery-workload"};
    addOptions(app, config, distribution);
    try {
        app.parse(argc, argv);
        if (!distribution.empty()) parseDistribution(distribution, config.lengths);
        validate(config, size);
        Communicator communicator(config);
        const std::vector<StepResult> results = train(config, communicator);
        if (rank == 0) {
            if (!config.scenarioFile.empty()) writeScenario(config.scenarioFile, config, config.steps - 1);
            print(config, results);
        }
        return 0;
    } catch (const CLI::ParseError& error) {
        if (rank != 0) return error.get_exit_code() == 0 ? 0 : 2;
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const orrery::InputError& error) {
        if (rank == 0) fmt::print(stderr, "orrery-workload: {}\n", error.what());
        return 2;
    }
}

}  // namespace

int main(int argc, char** argv) {
    Eigen::setNbThreads(1);  // a process is a device: its speed must not depend on its neighbours
    MPI_Init(&argc, &argv);
    int code = 1;
    try {
        code = job(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "orrery-workload: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return code;
}
