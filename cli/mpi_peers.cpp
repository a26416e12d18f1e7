#include "cli/mpi_peers.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include <mpi.h>

namespace orrery::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPoll = std::chrono::microseconds(200);
constexpr auto kPatience = std::chrono::milliseconds(100);  ///< after a signal; launchers kill a second after it

bool startedByLauncher() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
        if (std::getenv(variable) != nullptr) return true;
    }
    return false;
}

/// True when the request is done; false when a signal came and the others do not answer.
bool finished(MPI_Request& request, const std::atomic<bool>& stop) {
    std::optional<Clock::time_point> signalled;
    for (;;) {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) return true;
        if (stop.load(std::memory_order_relaxed)) {
            if (!signalled) signalled = Clock::now();
            if (Clock::now() - *signalled > kPatience) return false;
        }
        std::this_thread::sleep_for(kPoll);
    }
}

}  // namespace

std::unique_ptr<MpiPeers> MpiPeers::join(const std::atomic<bool>& stop) {
    if (!startedByLauncher()) return nullptr;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    std::unique_ptr<MpiPeers> peers(new MpiPeers(stop));
    return peers->size() > 1 ? std::move(peers) : nullptr;
}

MpiPeers::MpiPeers(const std::atomic<bool>& stop) : stop_(stop) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiPeers::~MpiPeers() {
    if (!lost_) MPI_Finalize();  // without the others it would wait forever
}

void MpiPeers::exchange(std::vector<double>& values, std::size_t width) {
    if (lost_) return;
    const std::size_t records = values.size() / width;
    const auto peers = static_cast<std::size_t>(size_);
    std::vector<int> counts(peers), offsets(peers);
    int offset = 0;
    for (std::size_t peer = 0; peer < peers; ++peer) {
        counts[peer] = static_cast<int>((records > peer ? (records - peer + peers - 1) / peers : 0) * width);
        offsets[peer] = offset;
        offset += counts[peer];
    }
    auto mine = std::make_unique<std::vector<double>>();
    mine->reserve(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank_)]));
    for (auto record = static_cast<std::size_t>(rank_); record < records; record += peers) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(record * width);
        mine->insert(mine->end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    // A lost request may use its buffers until the process ends: they must outlive this call.
    auto all = std::make_unique<std::vector<double>>(values.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgatherv(mine->data(), static_cast<int>(mine->size()), MPI_DOUBLE, all->data(), counts.data(),
                    offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD, &request);
    if (!finished(request, stop_)) {
        lost_ = true;
        static std::vector<std::unique_ptr<std::vector<double>>> leftToMpi;
        leftToMpi.push_back(std::move(mine));
        leftToMpi.push_back(std::move(all));
        return;
    }
    for (std::size_t record = 0; record < records; ++record) {
        const std::size_t peer = record % peers;
        const std::size_t from = static_cast<std::size_t>(offsets[peer]) + record / peers * width;
        for (std::size_t i = 0; i < width; ++i) values[record * width + i] = (*all)[from + i];
    }
}

bool MpiPeers::any(bool mine) {
    if (lost_) return true;
    // Static, because a lost request may still write here.
    static int one = 0;
    static int result = 0;
    one = mine ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&one, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    if (!finished(request, stop_)) lost_ = true;
    return lost_ || result != 0;
}

}  // namespace orrery::cli
