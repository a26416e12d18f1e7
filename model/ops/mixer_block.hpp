// The half of a layer that mixes tokens: attention (multi-head, grouped-query, latent; full or windowed) or a
// state-space recurrence.
#pragma once

#include "model/ops/layer_context.hpp"
#include "model/spec/layer_kind.hpp"

namespace orrery {

/// Projections into q, k, v, rotary embedding, attention, output projection. Latent attention (DeepSeek-V2, arXiv
/// 2405.04434, section 2.1) projects down on the rank's own tokens, gathers the compressed rows and projects up to
/// heads; training does not absorb the up-projections.
void appendAttentionBlockForward(OpSequence& out, const LayerContext& c, bool windowed);
void appendAttentionBlockBackward(OpSequence& out, const LayerContext& c, bool windowed);

/// Mamba-2 (arXiv 2405.21060) or gated DeltaNet (arXiv 2412.06464): in-projection, short convolution, recurrence in
/// chunks, gated norm, out-projection.
void appendStateSpaceForward(OpSequence& out, const LayerContext& c);
void appendStateSpaceBackward(OpSequence& out, const LayerContext& c);

}  // namespace orrery
