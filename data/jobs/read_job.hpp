// A job description of any known format, told apart by content.
#pragma once

#include <filesystem>

#include "data/jobs/job_description.hpp"

namespace orrery {

/// A Hugging Face config.json, or a text with Megatron-LM's arguments. Throws InputError: unreadable, larger than
/// 16 MiB, no known format.
[[nodiscard]] JobDescription readJob(const std::filesystem::path& file);

}  // namespace orrery
