#include "profiler/workload/communicator.hpp"

#include <cstring>
#include <iterator>

#include "profiler/workload/annotations.hpp"

namespace orrery::workload {
namespace {

constexpr int kForwardTag = 1 << 14;

int tagOf(bool forward, int microBatch) {
    return (forward ? kForwardTag : 0) + microBatch % kForwardTag;
}

}  // namespace

Communicator::Communicator(const JobConfig& config) : dp_(config.dp) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_split(MPI_COMM_WORLD, stage(), replica(), &replicas_);
}

Communicator::~Communicator() {
    MPI_Comm_free(&replicas_);
}

void Communicator::send(bool forward, const Matrix& matrix, int microBatch, int step) {
    const int peer = forward ? rank_ + dp_ : rank_ - dp_;
    const CommRange range(Annotations::instance().send,
                          {OpClass::sendRecv, matrix.size() * std::int64_t{4}, 2, peer, microBatch, microBatch, step,
                           forward ? Phase::forward : Phase::backward});
    // The copy frees the caller's matrix at once; the buffers of finished sends serve new ones.
    for (auto send = pending_.begin(); send != pending_.end();) {
        int done = 0;
        MPI_Test(&send->request, &done, MPI_STATUS_IGNORE);
        const auto next = std::next(send);
        if (done != 0) idle_.splice(idle_.end(), pending_, send);
        send = next;
    }
    if (idle_.empty()) idle_.emplace_back();
    pending_.splice(pending_.end(), idle_, idle_.begin());
    PendingSend& send = pending_.back();
    send.data = matrix;
    MPI_Isend(send.data.data(), static_cast<int>(send.data.size()), MPI_FLOAT, peer, tagOf(forward, microBatch),
              MPI_COMM_WORLD, &send.request);
}

void Communicator::receive(bool forward, Matrix& matrix, int microBatch, int step) {
    const int peer = forward ? rank_ - dp_ : rank_ + dp_;
    const CommRange range(Annotations::instance().receive,
                          {OpClass::sendRecv, matrix.size() * std::int64_t{4}, 2, peer, microBatch, microBatch, step,
                           forward ? Phase::forward : Phase::backward});
    MPI_Recv(matrix.data(), static_cast<int>(matrix.size()), MPI_FLOAT, peer, tagOf(forward, microBatch),
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Communicator::finishSends() {
    for (auto& send : pending_) MPI_Wait(&send.request, MPI_STATUS_IGNORE);
    idle_.splice(idle_.end(), pending_);
}

void Communicator::reduceGradients(Stage& stage, int step) {
    if (dp_ == 1) return;
    std::size_t size = 0;
    stage.forEachParameter([&](Parameter& p) { size += static_cast<std::size_t>(p.gradient.size()); });
    buffer_.resize(size);
    const CommRange range(Annotations::instance().gradReduce, {OpClass::allReduce, static_cast<std::int64_t>(size * 4),
                                                               dp_, -1, 0, -1, step, Phase::gradReduce});
    std::size_t at = 0;
    stage.forEachParameter([&](Parameter& p) {
        std::memcpy(buffer_.data() + at, p.gradient.data(),
                    static_cast<std::size_t>(p.gradient.size()) * sizeof(float));
        at += static_cast<std::size_t>(p.gradient.size());
    });
    MPI_Allreduce(MPI_IN_PLACE, buffer_.data(), static_cast<int>(size), MPI_FLOAT, MPI_SUM, replicas_);
    at = 0;
    stage.forEachParameter([&](Parameter& p) {
        std::memcpy(p.gradient.data(), buffer_.data() + at,
                    static_cast<std::size_t>(p.gradient.size()) * sizeof(float));
        at += static_cast<std::size_t>(p.gradient.size());
    });
}

double Communicator::sumOverAll(double value, int step) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) return value;
    const CommRange range(Annotations::instance().gradNorm,
                          {OpClass::allReduce, sizeof(double), size, -1, 1, -1, step, Phase::gradReduce});
    return sumQuietly(value);
}

double Communicator::sumQuietly(double value) {
    double sum = 0.0;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void Communicator::barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace orrery::workload
