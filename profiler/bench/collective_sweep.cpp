#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "profiler/bench/sweep.hpp"
#include "profiler/workload/annotations.hpp"

namespace orrery::bench {
namespace {

using namespace workload;

std::vector<std::size_t> sizes(SweepSize size) {
    std::vector<std::size_t> out;
    for (std::size_t bytes = 1024; bytes <= (size.quick ? std::size_t{1} << 14U : std::size_t{1} << 24U); bytes *= 4) {
        out.push_back(bytes);
    }
    return out;
}

}  // namespace

void sweepCollectives(SweepSize size, int step) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) return;
    static int sequence = 0;
    const auto& a = Annotations::instance();
    const nvtx::Name name = a.domain.name("bench");
    for (const std::size_t bytes : sizes(size)) {
        // `bytes` is the full buffer, as nccl-tests counts it; shares are the same for all.
        const auto share = static_cast<int>(bytes / sizeof(float) / static_cast<std::size_t>(ranks));
        const int count = share * ranks;
        std::vector<float> full(static_cast<std::size_t>(count), 1.0F), other(full.size());
        const auto measure = [&](OpClass cls, auto operation) {
            MPI_Barrier(MPI_COMM_WORLD);  // all arrive together: waiting for a late one is not the collective
            const CommRange range(name,
                                  {cls, std::int64_t{count} * 4, ranks, -1, ++sequence, -1, step, Phase::forward});
            operation();
        };
        measure(OpClass::allReduce,
                [&] { MPI_Allreduce(full.data(), other.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); });
        measure(OpClass::allGather,
                [&] { MPI_Allgather(full.data(), share, MPI_FLOAT, other.data(), share, MPI_FLOAT, MPI_COMM_WORLD); });
        measure(OpClass::reduceScatter, [&] {
            MPI_Reduce_scatter_block(full.data(), other.data(), share, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        });
        measure(OpClass::allToAll,
                [&] { MPI_Alltoall(full.data(), share, MPI_FLOAT, other.data(), share, MPI_FLOAT, MPI_COMM_WORLD); });
        measure(OpClass::broadcast, [&] { MPI_Bcast(full.data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD); });
        // The first two processes: a transfer is a range at each end with the same step, micro-batch and phase.
        const int transfer = ++sequence;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 1) continue;
        const CommRange range(rank == 0 ? a.send : a.receive, {OpClass::sendRecv, std::int64_t{count} * 4, 2, 1 - rank,
                                                               transfer, transfer, step, Phase::forward});
        if (rank == 0) MPI_Send(full.data(), count, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(other.data(), count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

}  // namespace orrery::bench
