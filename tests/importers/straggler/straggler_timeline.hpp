// A small timeline of Megatron's phases as text, as the source publishes them.
#pragma once

#include <string>

#include <fmt/format.h>

#include "tests/support/synthetic_replay_job.hpp"

namespace orrery::test {

/// The job as a list of Chrome events; lanes of a stage are compute, pp-comm and dp-comm.
inline std::string stragglerTimeline(const ReplayJob& job) {
    std::string out = "[";
    const char* lanes[] = {"compute", "pp-comm", "dp-comm"};
    for (const auto& op : job.ops) {
        const auto& type = job.types[op.type];
        const int lane = isCompute(type) ? 0 : type.scope == SyncScope::pair ? 1 : 2;
        out += fmt::format(
            "{}{{\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},"
            "\"ph\":\"X\",\"args\":{{\"step\":{},\"model_chunk\":{},\"mb_id\":{},\"seq_id\":0}}}}",
            out.size() > 1 ? "," : "", type.name, type.name, op.dp, 10 * op.stage + lane,
            static_cast<double>(op.start) * 1e-3, static_cast<double>(op.duration) * 1e-3,
            job.steps[static_cast<std::size_t>(op.step)], op.chunk, op.microBatch);
    }
    for (int dp = 0; dp < job.dp; ++dp) {
        for (int stage = 0; stage < job.pp; ++stage) {
            for (int lane = 0; lane < 3; ++lane) {
                out += fmt::format(
                    ",{{\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"ph\":\"M\",\"args\":{{\"name\":"
                    "\"PP rank {}, TP rank 0, {}\"}}}}",
                    dp, 10 * stage + lane, stage, lanes[lane]);
            }
        }
    }
    return out + "]";
}

}  // namespace orrery::test
