// Frames of the timeline with ten million spans at 1920x1080, offscreen: at most 16 ms in the median at any zoom.
// ORRERY_BENCH_SPANS takes another number of spans.
#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "gui/timeline/timeline_view.hpp"

namespace {

using namespace orrery;
using namespace orrery::gui;

constexpr int kRanks = 8, kStreams = 4;

std::size_t spanCount() {
    const char* asked = std::getenv("ORRERY_BENCH_SPANS");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 10'000'000;
}

/// Kernels of uneven lengths on 8 ranks with 4 streams each.
Timeline manySpans() {
    Timeline timeline;
    std::mt19937 random(1);
    std::vector<std::uint32_t> names;
    for (int i = 0; i < 200; ++i) names.push_back(timeline.names.intern("kernel_" + std::to_string(i)));
    const std::size_t each = spanCount() / (kRanks * kStreams);
    timeline.reserve(spanCount());
    for (int rank = 0; rank < kRanks; ++rank) {
        for (int stream = 0; stream < kStreams; ++stream) {
            const auto track =
                timeline.addTrack({rank, Lane::kernel, -1, 0, stream, "stream " + std::to_string(stream)});
            std::int64_t at = 0;
            for (std::size_t i = 0; i < each; ++i) {
                Span span;
                span.track = track;
                span.start = at;
                span.duration = 500 + static_cast<std::int64_t>(random() % 20000);
                span.cls = static_cast<OpClass>(random() % 16);
                span.name = names[random() % names.size()];
                timeline.add(span);
                at = span.end() + static_cast<std::int64_t>(random() % 3000);
            }
        }
    }
    return timeline;
}

struct Fixture {
    Session session;
    std::unique_ptr<TimelineView> view;
    double indexSeconds = 0.0;

    Fixture() {
        auto job = std::make_shared<Job>();
        job->measured.timeline = std::make_shared<const Timeline>(manySpans());
        QElapsedTimer timer;
        timer.start();
        job->measured.index = std::make_shared<const RowIndex>(*job->measured.timeline);
        indexSeconds = static_cast<double>(timer.elapsed()) / 1e3;
        session.setJob(std::move(job));
        view = std::make_unique<TimelineView>(session);
        view->resize(1920, 1080);
        view->show();
        QApplication::processEvents();
    }
};

Fixture& fixture() {
    static int argc = 1;
    static char name[] = "bench";
    static char* argv[] = {name, nullptr};
    static QApplication app(argc, argv);
    static Fixture made;
    return made;
}

/// Frames while moving across the timeline at a zoom of `parts` of the whole.
void frames(benchmark::State& state) {
    Fixture& data = fixture();
    const double whole = static_cast<double>(data.view->scene().extent().end);
    const double length = whole / static_cast<double>(state.range(0));
    QImage frame(1920, 1080, QImage::Format_RGB32);
    std::vector<double> times;
    double at = 0.0;
    for (auto _ : state) {
        at = at + length > whole ? 0.0 : at + length * 0.05;
        data.view->zoomTo(at, at + length, false);
        QElapsedTimer timer;
        timer.start();
        data.view->viewport()->render(&frame);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    state.counters["median_ms"] = times[times.size() / 2];
    state.counters["worst_ms"] = times.back();
    state.counters["index_s"] = data.indexSeconds;
}
BENCHMARK(frames)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Arg(100000)->Iterations(60)->Unit(
    benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
