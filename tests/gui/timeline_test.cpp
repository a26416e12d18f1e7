#include <QImage>
#include <random>

#include "gui/timeline/row_index.hpp"
#include "gui/timeline/span_painter.hpp"
#include "tests/gui/gui_app.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using namespace orrery;
using namespace orrery::gui;

Span spanOf(std::uint32_t track, std::int64_t start, std::int64_t duration, Phase phase, std::uint32_t name) {
    Span span;
    span.track = track;
    span.start = start;
    span.duration = duration;
    span.phase = phase;
    span.name = name;
    return span;
}

/// One rank, tasks of 100 ns with a hatched wait between them.
TimelineSide smallSide() {
    Timeline timeline;
    const auto track = timeline.addTrack({0, Lane::task, 0, -1, -1, ""});
    const auto forward = timeline.names.intern("forward");
    const auto wait = timeline.names.intern("wait: steady");
    timeline.add(spanOf(track, 0, 400, Phase::forward, forward));
    timeline.add(spanOf(track, 400, 200, Phase::wait, wait));
    timeline.add(spanOf(track, 600, 400, Phase::backward, forward));
    TimelineSide side;
    side.timeline = std::make_shared<const Timeline>(timeline);
    side.index = std::make_shared<const RowIndex>(*side.timeline);
    return side;
}

/// Two ranks with every phase, every cause of waiting and kernels of every class; `late` stretches the second half.
TimelineSide everyPhase(std::int64_t late) {
    Timeline timeline;
    const auto plain = timeline.names.intern("x");
    const std::array waits = {"wait: warm-up", "wait: steady", "wait: cool-down", "wait: step end", "wait: peer"};
    for (int rank = 0; rank < 2; ++rank) {
        const auto tasks = timeline.addTrack({rank, Lane::task, rank, -1, -1, ""});
        std::int64_t at = rank * 30;
        for (std::size_t phase = 0; phase < kPhases; ++phase) {
            const std::int64_t length = 60 + (phase > 6 ? late : 0);
            timeline.add(spanOf(tasks, at, length, static_cast<Phase>(phase), plain));
            at += length;
        }
        for (const auto* wait : waits) {
            timeline.add(spanOf(tasks, at, 90, Phase::wait, timeline.names.intern(wait)));
            at += 90;
        }
        const auto kernels = timeline.addTrack({rank, Lane::kernel, rank, 0, 7, "stream 7"});
        for (std::size_t cls = 0; cls < kOpClasses; ++cls) {
            Span span = spanOf(kernels, static_cast<std::int64_t>(cls) * 70, 55, Phase::other, plain);
            span.cls = static_cast<OpClass>(cls);
            timeline.add(span);
        }
    }
    TimelineSide side;
    side.timeline = std::make_shared<const Timeline>(timeline);
    side.index = std::make_shared<const RowIndex>(*side.timeline);
    return side;
}

}  // namespace

TEST_CASE("A row index keeps every span once and never overlaps spans of a row", "[gui]") {
    std::mt19937 random(7);
    Timeline timeline;
    const auto name = timeline.names.intern("x");
    for (int t = 0; t < 3; ++t) timeline.addTrack({t, Lane::task, -1, -1, -1, ""});
    for (int i = 0; i < 2000; ++i) {
        timeline.add(spanOf(static_cast<std::uint32_t>(random() % 3), static_cast<std::int64_t>(random() % 10000),
                            static_cast<std::int64_t>(random() % 60), Phase::forward, name));
    }
    const RowIndex index(timeline);
    std::size_t total = 0;
    for (const auto& row : index.rows()) {
        total += row.start.size();
        for (std::size_t i = 1; i < row.start.size(); ++i) CHECK(row.end[i - 1] <= row.start[i]);
    }
    CHECK(total == timeline.size());
}

TEST_CASE("What is visible at any zoom stands for all spans of the range, with no more marks than pixels", "[gui]") {
    Timeline timeline;
    const auto name = timeline.names.intern("x");
    timeline.addTrack({0, Lane::task, -1, -1, -1, ""});
    for (int i = 0; i < 100000; ++i) timeline.add(spanOf(0, i * 10, 8, Phase::forward, name));
    const RowIndex index(timeline);
    REQUIRE(index.rows().size() == 1);
    std::vector<VisibleSpan> visible;
    index.visible(0, 0, 1000000, 1000, visible);
    CHECK(visible.size() <= 1001);
    std::size_t stood = 0;
    for (const auto& span : visible) stood += span.merged;
    CHECK(stood == 100000);
    index.visible(0, 500, 700, 1, visible);
    CHECK(visible.size() == 20);
    CHECK(index.at(0, 505, 0) == 50);
    CHECK(index.at(0, 509, 0) == -1);
    CHECK(index.at(0, 509, 2) >= 50);
}

TEST_CASE("The painter draws phases in their colours, waits hatched by cause, and dims what a search leaves out",
          "[gui]") {
    Scene scene;
    const TimelineSide side = smallSide();
    scene.setSides({}, side);
    REQUIRE(scene.rows().size() == 2);
    QImage image(1000, 60, QImage::Format_RGB32);
    std::vector<LabelPlace> labels;
    const Palette& palette = lightPalette();
    View view;
    view.to = 1000.0;
    paintSpans(image, scene, view, palette, {}, labels);
    const int y = scene.rows()[1].y + scene.rows()[1].height / 2;
    CHECK(image.pixel(200, y) == palette.phases[static_cast<std::size_t>(Phase::forward)]);
    CHECK(image.pixel(800, y) == palette.phases[static_cast<std::size_t>(Phase::backward)]);
    int ink = 0;
    int ground = 0;
    for (int x = 402; x < 598; ++x) {
        ink += image.pixel(x, y) == palette.hatchLine ? 1 : 0;
        ground += image.pixel(x, y) == palette.hatchGround ? 1 : 0;
    }
    CHECK(ink > 20);
    CHECK(ground > 100);
    CHECK(ink + ground == 196);
    CHECK(labels.size() == 3);

    const SpanFilter filter("phase:backward", {}, side);
    paintSpans(image, scene, view, palette, filter, labels);
    CHECK(image.pixel(200, y) != palette.phases[static_cast<std::size_t>(Phase::forward)]);
    CHECK(image.pixel(800, y) == palette.phases[static_cast<std::size_t>(Phase::backward)]);
}

TEST_CASE("Blocks of merged spans hide no long span", "[gui]") {
    Timeline timeline;
    const auto name = timeline.names.intern("x");
    timeline.addTrack({0, Lane::task, -1, -1, -1, ""});
    std::int64_t at = 0;
    for (int i = 0; i < 20000; ++i) {
        const bool isLong = i == 10007;
        timeline.add(spanOf(0, at, isLong ? 30000 : 8, isLong ? Phase::wait : Phase::forward, name));
        at += isLong ? 30000 : 10;
    }
    const RowIndex index(timeline);
    std::vector<VisibleSpan> visible;
    index.visible(0, 0, at, 1000, visible);
    std::size_t stood = 0;
    std::size_t waits = 0;
    for (const auto& span : visible) {
        stood += span.merged;
        if (span.phase != Phase::wait) continue;
        ++waits;
        CHECK(span.merged == 1);
        CHECK(span.end - span.start == 30000);
    }
    CHECK(waits == 1);
    CHECK(stood == 20000);
    for (std::size_t i = 1; i < visible.size(); ++i) CHECK(visible[i].start >= visible[i - 1].start);
}

TEST_CASE("The painter's picture of two ranks is the golden one, within a tolerance", "[gui]") {
    Scene scene;
    scene.setSides(everyPhase(0), everyPhase(40));
    QImage image(640, scene.height(), QImage::Format_RGB32);
    View view;
    const auto extent = scene.extent();
    view.from = static_cast<double>(extent.begin);
    view.to = static_cast<double>(extent.end);
    std::vector<LabelPlace> labels;
    paintSpans(image, scene, view, lightPalette(), {}, labels);
    const QString golden = QStringLiteral(ORRERY_SOURCE_DIR "/tests/gui/golden/two-ranks.png");
    if (qEnvironmentVariableIsSet("ORRERY_WRITE_GOLDEN")) REQUIRE(image.save(golden));
    const QImage expected = QImage(golden).convertToFormat(QImage::Format_RGB32);
    REQUIRE(expected.size() == image.size());
    // Edges may move by a pixel where rounding differs; a colour, a row or a pattern that changes is far more.
    int different = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QRgb a = image.pixel(x, y);
            const QRgb b = expected.pixel(x, y);
            const int off =
                std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
            different += off > 24 ? 1 : 0;
        }
    }
    CHECK(different < image.width() * image.height() / 200);
}
