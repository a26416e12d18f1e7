// orrery-workload: trains a small transformer for real on CPU processes, so that there is a job to record without a
// GPU.
#include <cstdio>
#include <exception>
#include <map>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include "model/units/input_error.hpp"
#include "profiler/workload/communicator.hpp"
#include "profiler/workload/config.hpp"
#include "profiler/workload/description.hpp"
#include "profiler/workload/process.hpp"
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

struct Options {
    JobConfig job;
    std::string distribution;
    std::filesystem::path describe, scenario;
    bool json = false, bind = false;
};

void addOptions(CLI::App& app, Options& options) {
    JobConfig& config = options.job;
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
    app.add_option("--steps", config.steps, "measured steps")->capture_default_str();
    app.add_option("--warmup", config.warmup, "steps before them")->capture_default_str();
    app.add_option("--seed", config.seed, "of weights and tokens")->capture_default_str();
    auto* file = app.add_option("--lengths", config.lengths.file, "file of document lengths, one a line");
    app.add_option("--length-distribution", options.distribution,
                   "lognormal:MEAN,SIGMA,MAX (tokens, sigma of ln, tokens)")
        ->excludes(file);
    app.add_flag("--whole-documents", config.wholeDocuments,
                 "a document that does not fit opens the next micro-batch instead of being cut");
    app.add_option("--lengths-seed", config.lengths.seed, "of the drawn lengths")->capture_default_str();
    app.add_flag("--repeat-documents", config.repeatDocuments, "the same document lengths in every step");
    app.add_option("--learning-rate", config.learningRate, "of Adam")->capture_default_str();
    app.add_option("--emit-scenario", options.scenario,
                   "write the first measured step as a scenario for 'orrery predict'");
    app.add_option("--describe", options.describe, "write the documents of every step as JSON");
    app.add_flag("--bind", options.bind, "pin each process to a core of its own");
    app.add_flag("--json", options.json, "print losses and step times as JSON");
}

void print(const Options& options, const std::vector<StepResult>& results) {
    if (options.json) {
        fmt::print("{}\n", resultsJson(options.job, results));
        return;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        fmt::print("step {:3}  loss {:.6f}  {:.1f} ms{}\n", i, results[i].loss, results[i].seconds * 1e3,
                   i < static_cast<std::size_t>(options.job.warmup) ? "  (warm-up)" : "");
    }
    const StepTimes times = measuredTimes(options.job, results);
    fmt::print("median of {}: {:.1f} ms ({:.1f} to {:.1f})\n", options.job.steps, times.median * 1e3,
               times.smallest * 1e3, times.largest * 1e3);
}

/// Everything between MPI_Init and MPI_Finalize.
int run(int argc, char** argv) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Options options;
    CLI::App app{"orrery-workload: trains a small transformer on CPU processes (start it with mpirun -n PPxDP)",
                 "orrery-workload"};
    addOptions(app, options);
    std::string failure;
    std::optional<Corpus> corpus;
    try {
        app.parse(argc, argv);
        if (!options.distribution.empty()) parseDistribution(options.distribution, options.job.lengths);
        validate(options.job, size);
        corpus.emplace(options.job);
        if (rank == 0 && !options.scenario.empty()) writeFile(options.scenario, scenarioToml(options.job, *corpus));
        if (rank == 0 && !options.describe.empty()) writeFile(options.describe, documentsJson(options.job, *corpus));
    } catch (const CLI::CallForHelp&) {
        if (rank == 0) fmt::print("{}", app.help());
        return 0;
    } catch (const CLI::ParseError& error) {
        failure = error.what();
    } catch (const orrery::InputError& error) {
        failure = error.what();
    }
    if (!allWell(failure)) return 2;
    if (options.bind) bindToCore();
    Communicator communicator(options.job);
    const std::vector<StepResult> results = train(options.job, *corpus, communicator);
    if (rank == 0) print(options, results);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    keepMemory();
    MPI_Init(&argc, &argv);
    int code = 1;
    try {
        code = run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "orrery-workload: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return code;
}
