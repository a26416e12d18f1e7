#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "model/units/input_error.hpp"

namespace {
constexpr int kFailure = 1;
constexpr int kBadInput = 2;
}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"orrery: what a training step of a large language model costs, predicted and measured", "orrery"};
    app.set_version_flag("--version", std::string(ORRERY_VERSION));
    app.require_subcommand(1);
    for (const auto add : orrery::cli::kCommandTable) add(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kBadInput;
    } catch (const orrery::InputError& error) {
        fmt::print(stderr, "orrery: {}\n", error.what());
        return kBadInput;
    } catch (const std::exception& error) {
        fmt::print(stderr, "orrery: {}\n", error.what());
        return kFailure;
    }
    return 0;
}
