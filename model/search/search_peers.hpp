// Other processes that work on the same search.
#pragma once

#include <vector>

namespace orrery {

/// Every peer runs the same search; of a list of tasks, each does those whose index modulo size() is its rank.
class SearchPeers {
  public:
    virtual ~SearchPeers() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Fills in what the others found: `values` are records of `width` numbers, record i by peer i modulo size().
    /// Leaves them as they are when the others are lost; any() is true from then on.
    virtual void exchange(std::vector<double>& values, std::size_t width) = 0;
    /// True on every peer when it is true on one.
    [[nodiscard]] virtual bool any(bool mine) = 0;
};

}  // namespace orrery
