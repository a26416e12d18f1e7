// A small pipeline job for report tests: 2 stages, 1F1B-like, predicted and measured, with names a trace could hold.
#pragma once

#include <string>

#include "model/timeline/timeline.hpp"
#include "model/timeline/waits.hpp"

namespace orrery::test {

/// What a hostile trace calls an operator: ends the script, breaks attributes, carries control bytes and bad UTF-8.
inline const std::string kHostileName =
    "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(2)>\x01\n\xFF\x80 \xE2\x80\xA8";

/// Tasks of 2 ranks with `microBatches` micro-batches; `scale` stretches all times, `late` delays stage 1's tasks.
inline Timeline pipelineJob(int microBatches, double scale, std::int64_t late, int steps = 1) {
    Timeline timeline;
    std::int64_t begin = 0;
    const auto ns = [scale](double us) { return static_cast<std::int64_t>(us * 1000.0 * scale); };
    for (std::int16_t stage = 0; stage < 2; ++stage) {
        for (const Lane lane : {Lane::step, Lane::task, Lane::op, Lane::comm}) {
            Track track;
            track.rank = stage;
            track.lane = lane;
            track.stage = stage;
            track.label = std::string(name(lane));
            timeline.addTrack(track);
        }
    }
    for (int step = 0; step < steps; ++step) {
        std::int64_t free[2] = {begin, begin};
        const auto task = [&](int stage, Phase phase, int microBatch, std::int64_t ready, double us) {
            Span span;
            span.track = static_cast<std::uint32_t>(stage * 4 + 1);
            span.start = std::max(free[stage], ready);
            span.duration = ns(us) + (stage == 1 ? late : 0);
            span.phase = phase;
            span.cls = phase == Phase::optimizer ? OpClass::optimizer : OpClass::other;
            span.name = timeline.names.intern(name(phase));
            span.microBatch = microBatch;
            span.step = step;
            span.stage = static_cast<std::int16_t>(stage);
            timeline.add(span);
            free[stage] = span.end();
            Span op = span;
            op.track += 1;
            op.cls = phase == Phase::optimizer ? OpClass::optimizer : OpClass::gemm;
            op.duration = span.duration * 6 / 10;
            op.name = timeline.names.intern(phase == Phase::forward ? kHostileName : std::string("qkv"));
            timeline.add(op);
            if (phase != Phase::optimizer) {
                op.start += op.duration;
                op.duration = span.duration * 3 / 10;
                op.cls = OpClass::attention;
                op.name = timeline.names.intern("attention");
                timeline.add(op);
            }
            return span.end();
        };
        const auto transfer = [&](int to, int microBatch, std::int64_t at) {
            Span span;
            span.track = static_cast<std::uint32_t>(to * 4 + 3);
            span.start = at;
            span.duration = ns(20);
            span.phase = Phase::pipelineComm;
            span.cls = OpClass::sendRecv;
            span.name = timeline.names.intern("recv");
            span.microBatch = microBatch;
            span.step = step;
            timeline.add(span);
            return span.end();
        };
        std::int64_t forwardEnd = task(0, Phase::forward, 0, begin, 100);
        for (int m = 0; m < microBatches; ++m) {
            const std::int64_t next = m + 1 < microBatches ? task(0, Phase::forward, m + 1, begin, 100) : 0;
            const std::int64_t there = task(1, Phase::forward, m, transfer(1, m, forwardEnd), 110);
            const std::int64_t back = task(1, Phase::backward, m, there, 210);
            task(0, Phase::backward, m, transfer(0, m, back), 200);
            forwardEnd = next;
        }
        const std::int64_t end = std::max(free[0], free[1]) + ns(50);
        for (int stage = 0; stage < 2; ++stage) {
            task(stage, Phase::optimizer, -1, begin, 50);
            Span span;
            span.track = static_cast<std::uint32_t>(stage * 4);
            span.start = begin;
            span.duration = std::max(end, free[stage]) - begin;
            span.phase = Phase::step;
            span.step = step;
            span.name = timeline.names.intern("step");
            timeline.add(span);
        }
        begin = std::max({end, free[0], free[1]});
    }
    markGapsAsWaits(timeline);
    nameWaits(timeline);
    timeline.sort();
    return timeline;
}

}  // namespace orrery::test
