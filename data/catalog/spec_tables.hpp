// The fields of models and links, in catalog files and in scenarios alike.
#pragma once

#include "data/toml/strict_table.hpp"
#include "model/spec/cluster_spec.hpp"
#include "model/spec/model_spec.hpp"

namespace orrery {

/// Overwrites the fields of `model` that the table gives. Throws InputError on wrong types and ranges.
void readModelFields(StrictTable& table, const std::string& file, ModelSpec& model);

/// One link level: name, size (0: all GPUs of the job), bandwidth_gb_s per GPU and direction, latency_us.
[[nodiscard]] LinkLevel readLink(const toml::table& table, const std::string& file);

}  // namespace orrery
