// What the processes of a job exchange, over MPI: activations and gradients between stages, sums over replicas.
// Every call is marked as a comm range; a receive's range includes the wait for its peer.
#pragma once

#include <list>

#include <mpi.h>

#include "model/timeline/timeline.hpp"
#include "profiler/workload/config.hpp"
#include "profiler/workload/matrix.hpp"
#include "profiler/workload/stage.hpp"

namespace orrery::workload {

class Communicator {
  public:
    /// Ranks are dealt stage by stage with replicas innermost: rank = stage x dp + replica, as Megatron orders them.
    Communicator(const JobConfig& config);
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int stage() const { return rank_ / dp_; }
    [[nodiscard]] int replica() const { return rank_ % dp_; }

    /// Starts a send to the next (forward) or previous stage; the matrix is copied, the call does not wait for the
    /// peer.
    void send(bool forward, const Matrix& matrix, int microBatch, int step);
    /// Receives what the neighbour sent for this micro-batch; `matrix` has the right size already.
    void receive(bool forward, Matrix& matrix, int microBatch, int step);
    /// Waits for all sends of the step. Called after the step: no later task depends on it.
    void finishSends();

    /// Sums gradients over the replicas of this stage; nothing with one replica.
    void reduceGradients(Stage& stage, int step);
    /// Sum of a number over all processes: the gradient norm; every process waits for the slowest here.
    [[nodiscard]] double sumOverAll(double value, int step);
    /// Sum of a number over all processes, unmarked: the loss that is printed.
    [[nodiscard]] static double sumQuietly(double value);
    static void barrier();

  private:
    struct PendingSend {
        Matrix data;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    int rank_ = 0, dp_;
    MPI_Comm replicas_ = MPI_COMM_NULL;
    std::list<PendingSend> pending_, idle_;  // idle: buffers of finished sends, to be used again
    std::vector<float> buffer_;
};

}  // namespace orrery::workload
