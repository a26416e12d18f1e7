// How a training framework drives a device: what it adds to the kernels' own time and to the model's own memory. One
// set per framework and kind of GPU (data/catalog/frameworks); never per model, row or run.
#pragma once

#include <string>

#include "model/units/quantity.hpp"

namespace orrery {

/// The default is an ideal runtime that adds nothing. Ranges are what is plausible on today's machines.
struct RuntimeSpec {
    std::string name;           ///< "megatron-core", ...; empty: ideal
    Seconds kernelGap{};        ///< 0..5 us: the device idles so long between two operators of a stream
    Seconds hostPerOperator{};  ///< 0..150 us: the host needs so long to launch an operator's kernels; it shows where
                                ///< the device is done sooner. 0 with CUDA graphs
    double elementwiseTraffic = 1.0;  ///< 1..4: bytes of elementwise and norm operators over one fused pass
    double gemmSpeed = 1.0;        ///< 0.8..1.2: rate of its matrix multiplications over that of the calibrated ones:
                                   ///< layouts, gradients accumulated in float32, fused epilogues
    double attentionSpeed = 1.0;   ///< 0.5..2: rate of its attention kernels over that of the calibrated ones
    double overlapSlowdown = 0.0;  ///< 0..1: computing lost per second of communication that runs beside it (SMs,
                                   ///< memory bandwidth, launch order)
    Seconds collectiveLatency{};   ///< 0..100 us: what each collective and transfer takes beyond its measured time:
                                   ///< ranks that arrive late, streams that wait for each other
    double linkShare = 1.0;        ///< 0.3..1: bandwidth inside the innermost link level over that measured alone
    double networkShare = 1.0;     ///< 0.1..1: the same beyond it: congestion, other jobs
    Seconds expertSync{};  ///< 0..1000 us: a layer of experts waits so long in the forward pass for the host to learn
                           ///< how many tokens each expert has, and to launch what follows (dropless routing)
    /// Each shape of weight matrix has a placeholder of its gradient in the storage type: what PyTorch's autograd gets
    /// where the kernel has added the gradient to the buffer (Transformer Engine with Megatron-LM's
    /// gradient_accumulation_fusion).
    bool weightGradientPlaceholders = false;
    Bytes fixedMemory{};          ///< 0..12 GiB: context, libraries' workspaces, communicators
    double allocatorShare = 0.0;  ///< 0..0.3: memory that the allocator holds unused, of activations
};

/// Throws InputError that names the field when a value is negative, not finite or outside what can be.
void validate(const RuntimeSpec& runtime);

}  // namespace orrery
