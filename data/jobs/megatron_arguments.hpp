// Command-line arguments of Megatron-LM (and Megatron Core's train scripts): written for a plan, and read back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/jobs/job_description.hpp"

namespace orrery {

/// Flags that run this job, one an entry ("--tensor-model-parallel-size 8"), by Megatron-LM's arguments.py. What it has
/// no flag for is an entry that begins with "# ".
[[nodiscard]] std::vector<std::string> megatronArguments(const JobDescription& job);

/// Reads the flags from a command line or a shell script around one: quotes, continued lines, --flag=value, arrays, and
/// $VARIABLES that the same text sets. Flags that a cost does not depend on are passed over; values that are missing or
/// no numbers are refused. `name` is for messages. Throws InputError.
[[nodiscard]] JobDescription parseMegatronArguments(std::string_view text, const std::string& name);

}  // namespace orrery
