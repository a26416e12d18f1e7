// Fields of a scenario file set from outside, for sweeps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace orrery {

/// "workload.global_batch" = "512": the value as TOML writes it; a bare word is a text.
struct Override {
    std::string key, value;
};

/// "plan.tp=8". Throws InputError when there is no key with its table, no '=', or no value.
[[nodiscard]] Override parseOverride(std::string_view text);

/// Sets the fields; what they replace in other words goes: cluster.gpus takes the place of nodes, cluster.gpu and
/// cluster.preset of each other with all that belongs to a machine, model.preset of all fields of [model]. Throws
/// InputError for a value that is none.
void apply(toml::table& root, const std::vector<Override>& overrides);

}  // namespace orrery
