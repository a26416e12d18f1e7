// orrery-agent: starts a command with the injection library in its environment and says what was recorded.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "profiler/agent/bench.hpp"
#include "profiler/agent/capture_options.hpp"
#include "profiler/agent/run.hpp"
#include "profiler/inject/control_socket.hpp"

int main(int argc, char** argv) {
    CLI::App app{"orrery-agent: records a job into profiles that 'orrery import' merges", "orrery-agent"};
    app.require_subcommand(1);
    orrery::agent::RunOptions options;
    CLI::App* run = app.add_subcommand("run", "run COMMAND and record its ranges and GPU work, one profile a process");
    run->add_option("-o,--output", options.output, "folder for the profiles (made if absent)")->capture_default_str();
    run->add_option("--drain-ms", options.drainMilliseconds,
                    "how often events are committed; kill -9 loses at most this much")
        ->check(CLI::Range(1, 60000))
        ->capture_default_str();
    run->add_option("--ring-kib", options.ringKib, "buffer of each thread; a full one drops events and counts them")
        ->check(CLI::Range(16, 1 << 20))
        ->capture_default_str();
    run->add_option("--gpu", options.gpu, "what to record beside kernels: copies, launches, sync; none: no GPU at all")
        ->capture_default_str();
    run->add_option("--cupti", options.cupti, "libcupti to use instead of the one that is found");
    run->add_option("--on-conflict", options.onConflict,
                    "when another profiler has the GPU: stand-down (ranges only) or refuse (end the process)")
        ->check(CLI::IsMember({"stand-down", "refuse"}))
        ->capture_default_str();
    run->add_flag("--nccl-plugin", options.ncclPlugin,
                  "have NCCL tell communicators, algorithms and protocols, too (costs small collectives some percent)");
    orrery::agent::addCaptureOptions(*run, options.capture);
    run->add_flag("--replace", options.replace, "take the place of another tool's injection library");
    run->add_flag("--dry-run", options.dryRun, "print what would be set and run, then stop");
    run->add_option("command", options.command, "what to run, behind '--' if it has options of its own")->required();
    run->positionals_at_end();
    run->footer(
        "Example: orrery-agent run -o profiles -- mpirun -n 4 ./train\n"
        "Then:    orrery import profiles -o job.db");

    orrery::agent::BenchOptions bench;
    CLI::App* sweep =
        app.add_subcommand("bench", "measure operators and collectives of this machine, for orrery calibrate");
    sweep->add_option("-o,--output", bench.output, "folder for the profiles (made if absent)")->capture_default_str();
    sweep->add_option("--device", bench.device, "cpu: operators and MPI; gpu: cuBLAS and copies of the first GPU")
        ->check(CLI::IsMember({"cpu", "gpu"}))
        ->capture_default_str();
    sweep->add_option("--ranks", bench.ranks, "processes under mpirun; two or more measure collectives, too")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    sweep->add_option("--repeats", bench.repeats, "times that each shape is measured")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    sweep->add_flag("--quick", bench.quick, "few and small shapes");

    std::string word;
    int pid = 0;
    CLI::App* ctl = app.add_subcommand("ctl", "start or stop the recording of a process that runs with --control");
    ctl->add_option("command", word, "start, stop or status")
        ->required()
        ->check(CLI::IsMember({"start", "stop", "status"}));
    ctl->add_option("pid", pid, "the recorded process, as its file's name says")
        ->required()
        ->check(CLI::PositiveNumber);

    try {
        app.parse(argc, argv);
        if (ctl->parsed()) {
            fmt::print("{}", orrery::inject::sendControl(pid, word));
            return 0;
        }
        if (sweep->parsed()) return orrery::agent::bench(bench);
        orrery::agent::checkCapture(options.capture);
        return orrery::agent::run(options);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "orrery-agent: {}; see orrery-agent {}--help\n", error.what(),
                   ctl->parsed()     ? "ctl "
                   : sweep->parsed() ? "bench "
                                     : "run ");
        return 2;
    } catch (const orrery::InputError& error) {
        fmt::print(stderr, "orrery-agent: {}\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "orrery-agent: {}\n", error.what());
        return 1;
    }
}
