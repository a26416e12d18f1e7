// The part of measured times that a law cannot see, carried to nearby shapes.
#pragma once

#include <span>

#include "model/calibrate/calibration.hpp"
#include "model/spec/cluster_spec.hpp"

namespace orrery {

/// Solves the weights of the entries so that sum_i weight_i * neighbourWeight(d / reach) interpolates ln(measured /
/// law), and sets law.reach and law.interpolationError; reach 0 when no correction predicts left-out entries better
/// than none.
void fitNeighbourCorrection(KernelLaw& law, std::span<KernelTableEntry> entries, const GpuSpec& gpu);

}  // namespace orrery
