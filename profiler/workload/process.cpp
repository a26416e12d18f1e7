#include "profiler/workload/process.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>
#include <sched.h>

namespace orrery::workload {

bool allWell(const std::string& failure) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int mine = failure.empty() ? size : rank;
    int first = size;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) fmt::print(stderr, "orrery-workload: {}\n", failure);
    return first == size;
}

void bindToCore() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int local = 0;
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) == 0) return;
    int skip = local % CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (!CPU_ISSET(static_cast<unsigned>(core), &allowed) || skip-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(core), &one);
        sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

void keepMemory() {
    constexpr int kAlways = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kAlways);
    mallopt(M_TRIM_THRESHOLD, kAlways);
}

}  // namespace orrery::workload
