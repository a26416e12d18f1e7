// orrery-bench: a sweep of operators, copies and collectives, marked like a job, for orrery-agent bench to record.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <mpi.h>

#include "profiler/bench/gpu_sweep.hpp"
#include "profiler/bench/sweep.hpp"
#include "profiler/workload/annotations.hpp"
#include "profiler/workload/process.hpp"

namespace {

using namespace orrery;

void sweepCpu(int repeats, bench::SweepSize size) {
    workload::keepMemory();
    bench::CpuSweep cpu(size);
    const auto& a = workload::Annotations::instance();
    for (int step = 0; step <= repeats; ++step) {  // step 0 warms up; calibrate leaves it out
        const nvtx::Range range(a.domain, a.step, a.stepName, a.stepSchema, {std::int64_t{step}});
        cpu.run();
        bench::sweepCollectives(size, step);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"orrery-bench: what orrery-agent bench records", "orrery-bench"};
    int repeats = 5;
    bench::SweepSize size;
    std::string device = "cpu";
    std::string table = "gpu-kernels.csv";
    app.add_option("--repeats", repeats, "times that each shape is measured")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--quick", size.quick, "few and small shapes");
    app.add_option("--device", device, "cpu or gpu")->check(CLI::IsMember({"cpu", "gpu"}))->capture_default_str();
    app.add_option("--table", table, "the file that a GPU sweep writes")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    if (device == "gpu") {
        try {
            bench::sweepGpu(size, repeats, table);
            return 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "orrery-bench: %s\n", error.what());
            return 2;
        }
    }
    MPI_Init(&argc, &argv);
    sweepCpu(repeats, size);
    MPI_Finalize();
    return 0;
}
