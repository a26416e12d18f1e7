// config.json of a model on Hugging Face.
#pragma once

#include <string>
#include <string_view>

#include "data/jobs/job_description.hpp"

namespace orrery {

/// Decoder-only transformers: Llama, Mistral, Mixtral, Qwen 2 and 3 (dense and experts), DeepSeek V2 and V3, GPT-2,
/// Phi-3, Gemma, OLMo and what uses the same keys. Throws InputError: not JSON, a size that is missing, an encoder.
[[nodiscard]] JobDescription parseHuggingFaceConfig(std::string_view text, const std::string& name);

}  // namespace orrery
