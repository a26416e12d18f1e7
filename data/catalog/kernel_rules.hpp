// The kind of work a GPU kernel does, from its name, by the rules of data/catalog/kernels.toml.
#pragma once

#include <string_view>

#include "model/ops/op.hpp"

namespace orrery {

/// The class of the first rule that fits; OpClass::other when none does. Costs a scan over the rules: cache it by name.
[[nodiscard]] OpClass classifyKernel(std::string_view name);

/// Whether a kernel communicates: its name contains nccl or rccl, in any case.
[[nodiscard]] bool isCommunicationKernel(std::string_view name);

}  // namespace orrery
