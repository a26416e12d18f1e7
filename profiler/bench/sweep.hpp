// What is swept: each function runs its shapes once and marks each as docs/annotations.md says.
#pragma once

namespace orrery::bench {

/// How large a sweep is: `quick` ends within seconds, for tests and for a first look.
struct SweepSize {
    bool quick = false;
};

/// Matrix products, attention and operators bound by memory on this process's core, in float32.
class CpuSweep {
  public:
    explicit CpuSweep(SweepSize size);
    ~CpuSweep();
    CpuSweep(const CpuSweep&) = delete;
    CpuSweep& operator=(const CpuSweep&) = delete;
    void run();

  private:
    struct Data;
    Data* data_;
    SweepSize size_;
};

/// Collectives and transfers over all MPI processes; nothing with one. `step` goes into each range.
void sweepCollectives(SweepSize size, int step);

}  // namespace orrery::bench
