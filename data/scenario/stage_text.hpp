// Short texts for what pipeline stages hold and do. Internal to data/scenario.
#pragma once

#include <string_view>
#include <vector>

#include "model/spec/task.hpp"

namespace orrery {

/// Tasks of one stage: F, B or W and the micro-batch, with ".chunk" where there are several ("F0 F1 B0.1"); joined by +
/// where they run as one ("F3+B1+W1"). Throws InputError that names the word.
[[nodiscard]] std::vector<Task> parseTasks(std::string_view text);

/// What positions of the model hold, as Megatron-LM's --pipeline-model-parallel-layout says it.
struct PipelineLayout {
    std::vector<int> layers;  ///< transformer layers of each position
    int mtpSlot = -1;         ///< position of the multi-token-prediction layers; -1: none
    int mtpLayers = 0;
};

/// E embedding, t transformer layer, m multi-token-prediction layer, L output and loss, | between positions, "x*3" and
/// "(xy)*3" for repetition; commas do nothing: "Et*3|(tt|)*29,m|L". Throws InputError that names the place.
[[nodiscard]] PipelineLayout parsePipelineLayout(std::string_view text);

}  // namespace orrery
