// Dense float32 matrices of the workload: row-major, a row a token.
#pragma once

#include <Eigen/Core>

namespace orrery::workload {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowVector = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRef = Eigen::Ref<Matrix>;

}  // namespace orrery::workload
