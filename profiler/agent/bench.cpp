#include "profiler/agent/bench.hpp"

#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "profiler/agent/run.hpp"

namespace orrery::agent {
namespace {

std::filesystem::path benchProgram() {
    const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    if (std::filesystem::exists(bin / "orrery-bench")) return bin / "orrery-bench";
    throw InputError(fmt::format("orrery-bench is not in {}; install it there", bin.string()));
}

}  // namespace

int bench(const BenchOptions& options) {
    RunOptions run;
    run.output = options.output;
    run.gpu = "none";
    if (options.ranks > 1) {
        if (options.device == "gpu") {
            throw InputError("--ranks with --device gpu: one process measures one GPU; leave --ranks away");
        }
        run.command = {"mpirun", "-n", std::to_string(options.ranks)};
    }
    run.command.push_back(benchProgram().string());
    run.command.insert(run.command.end(), {"--device", options.device, "--repeats", std::to_string(options.repeats)});
    if (options.quick) run.command.emplace_back("--quick");
    const std::filesystem::path table = std::filesystem::absolute(options.output) / "gpu-kernels.csv";
    if (options.device == "gpu") {
        std::filesystem::create_directories(options.output);
        run.command.insert(run.command.end(), {"--table", table.string()});
        run.summary = false;  // a sweep of a GPU marks nothing, its table is the record
    }
    const int code = agent::run(run);
    if (code != 0) return code;
    if (options.device == "gpu") {
        fmt::print(stderr, "orrery-agent: next: orrery calibrate {} -o cal.json\n", table.string());
    } else {
        fmt::print(stderr, "orrery-agent: then: orrery calibrate job.db -o cal.json\n");
    }
    return 0;
}

}  // namespace orrery::agent
