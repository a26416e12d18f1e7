// The fields of a RuntimeSpec as catalog entries and scenarios write them.
#pragma once

#include "data/toml/strict_table.hpp"
#include "model/spec/runtime_spec.hpp"

namespace orrery {

/// Reads the fields that are there over what `runtime` holds. Ranges are checked by validate(RuntimeSpec).
void readRuntimeFields(StrictTable& table, RuntimeSpec& runtime);

}  // namespace orrery
