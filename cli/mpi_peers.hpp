// The other processes of an mpirun or srun, for a search.
#pragma once

#include <atomic>
#include <memory>

#include "model/search/search_peers.hpp"

namespace orrery::cli {

/// MPI over one search. Waits without blocking, so that a signal ends it: when a process of the job dies, the launcher
/// stops the others, and what was found until then is told.
class MpiPeers final : public SearchPeers {
  public:
    /// nullptr when this process was not started by an MPI launcher, or alone. `stop` ends waiting.
    [[nodiscard]] static std::unique_ptr<MpiPeers> join(const std::atomic<bool>& stop);
    ~MpiPeers() override;
    MpiPeers(const MpiPeers&) = delete;
    MpiPeers& operator=(const MpiPeers&) = delete;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void exchange(std::vector<double>& values, std::size_t width) override;
    [[nodiscard]] bool any(bool mine) override;
    /// The others do not answer any more.
    [[nodiscard]] bool lost() const { return lost_; }

  private:
    explicit MpiPeers(const std::atomic<bool>& stop);

    const std::atomic<bool>& stop_;
    int rank_ = 0, size_ = 1;
    bool lost_ = false;
};

}  // namespace orrery::cli
