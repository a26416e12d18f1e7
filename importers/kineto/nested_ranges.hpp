// Ranges of a trace whose events come in any order: kept until the end, then written with their depths.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"

namespace orrery::importers {

class NestedRanges {
  public:
    /// `device` parts the rows of a device from the threads of the host, whose numbers may be the same.
    void add(const RangeRow& row, bool device) { rows_[{device, row.thread}].push_back(row); }
    /// Writes all of them, each thread in the order of starts, outer ranges first.
    void write(ProfileWriter& out);

  private:
    std::map<std::pair<bool, std::int64_t>, std::vector<RangeRow>> rows_;
};

}  // namespace orrery::importers
