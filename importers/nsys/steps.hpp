// Training steps in a report without a profiler's own marks: NVTX ranges that are named and numbered as steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::importers {

/// 7 for "ProfilerStep#7", "iteration 7", "step_7", "train_step: 7" and the like; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> stepNumber(std::string_view rangeName);

class Steps {
  public:
    /// False when the process has a step of that number already.
    bool add(std::int64_t process, std::int64_t number, std::int64_t start, std::int64_t end);
    void sort();
    [[nodiscard]] bool empty() const { return spans_.empty(); }
    /// The step of a process that holds `time`.
    [[nodiscard]] std::optional<std::int64_t> at(std::int64_t process, std::int64_t time) const;

  private:
    struct Span {
        std::int64_t start = 0, end = 0, number = 0;
    };
    struct Process {
        std::vector<Span> spans;
        std::map<std::int64_t, bool> numbers;
    };
    std::map<std::int64_t, Process> spans_;
};

}  // namespace orrery::importers
