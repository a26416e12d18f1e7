// "orrery-agent bench": the sweep of orrery-bench, recorded like any job.
#pragma once

#include <filesystem>
#include <string>

namespace orrery::agent {

struct BenchOptions {
    std::filesystem::path output = "orrery-bench";
    std::string device = "cpu";
    int ranks = 1;  ///< MPI processes; more than one also sweeps collectives
    int repeats = 5;
    bool quick = false;
};

/// Records orrery-bench and says how to calibrate from it. Returns its exit code. Throws InputError: program not found,
/// more than one rank without mpirun, output not writable.
int bench(const BenchOptions& options);

}  // namespace orrery::agent
