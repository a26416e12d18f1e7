// A recorded two-stage job and the scenario that it ran, as files.
#pragma once

#include "tests/support/annotated_profile.hpp"
#include "tests/support/temp_folder.hpp"

namespace orrery::test {

/// job.db (2 stages, 3 steps, 4 micro-batches; 2 records lost) and job.toml in a folder of their own.
struct JobFiles {
    JobFiles() {
        writePipelineJob(folder / "job.db", 3, 4);
        folder.write(
            "job.toml",
            "name = \"tiny job\"\n[model]\nname = \"tiny\"\nlayers = 4\nhidden = 128\nheads = 8\nkv_heads = 4\n"
            "head_dim = 16\nffn_hidden = 352\ngated_mlp = true\nvocab = 2048\n[cluster]\ngpu = \"cpu\"\n"
            "gpus = 2\ngpus_per_node = 2\n[plan]\ntp = 1\npp = 2\ndp = 1\nschedule = \"1f1b\"\n"
            "precision = \"fp32\"\nparameter_type = \"fp32\"\ngradient_type = \"fp32\"\n[workload]\n"
            "sequence_length = 128\ndocuments = [[[128], [128], [128], [128]]]\n");
    }
    [[nodiscard]] std::vector<std::filesystem::path> both() const { return {folder / "job.db", folder / "job.toml"}; }

    TempFolder folder;
};

}  // namespace orrery::test
