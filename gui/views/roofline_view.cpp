// Roofline: measured kernels by arithmetic intensity and speed under the device's roof, and collectives by size.
// Kernels of one shape are one point; its size is their share of the time.
#include <QChart>
#include <QChartView>
#include <QLabel>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>
#include <map>
#include <tuple>

#include "data/catalog/catalog.hpp"
#include "gui/session/session.hpp"
#include "gui/style/palette.hpp"
#include "gui/style/texts.hpp"
#include "gui/views/chart_parts.hpp"
#include "gui/views/empty_state.hpp"
#include "gui/views/figure_table.hpp"
#include "gui/views/views.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {
namespace {

struct Shape {
    OpClass cls = OpClass::other;
    DType dtype = DType::bf16;
    std::string name;
    double flops = 0.0, bytes = 0.0, seconds = 0.0;
    int count = 0;

    [[nodiscard]] double intensity() const { return flops / bytes; }
    [[nodiscard]] double speed() const { return flops / seconds; }
};

std::vector<Shape> shapesOf(const std::vector<KernelSample>& samples) {
    std::map<std::tuple<OpClass, std::string, double, double>, Shape> shapes;
    for (const auto& sample : samples) {
        if (!(sample.op.flops.value() > 0 && sample.op.bytes.value() > 0 && sample.time.value() > 0)) continue;
        Shape& shape = shapes[{sample.op.cls, sample.opName, sample.op.flops.value(), sample.op.bytes.value()}];
        shape.cls = sample.op.cls;
        shape.dtype = sample.op.dtype;
        shape.name = sample.opName.empty() ? std::string(name(sample.op.cls)) : sample.opName;
        shape.flops += sample.op.flops.value();
        shape.bytes += sample.op.bytes.value();
        shape.seconds += sample.time.value();
        ++shape.count;
    }
    std::vector<Shape> out;
    for (auto& [key, shape] : shapes) out.push_back(std::move(shape));
    return out;
}

QLogValueAxis* logAxis(QChart& chart, const QString& title, double low, double high, Qt::AlignmentFlag side) {
    auto* axis = new QLogValueAxis;
    axis->setBase(10.0);
    axis->setTitleText(title);
    axis->setRange(std::pow(10.0, std::floor(std::log10(low))), std::pow(10.0, std::ceil(std::log10(high))));
    axis->setLabelFormat("%g");
    axis->setMinorTickCount(8);
    chart.addAxis(axis, side);
    return axis;
}

class RooflineView : public QWidget {
  public:
    explicit RooflineView(Session& session) : session_(session) {
        kernels_ = newChartView(tr("Roofline of measured kernels"));
        kernelsEmpty_ = new EmptyState(kernels_);
        comm_ = newChartView(tr("Bandwidth of collectives by size"));
        commEmpty_ = new EmptyState(comm_);
        table_ = new FigureTable;
        table_->setAccessibleName(tr("Kernels by shape"));
        auto* charts = new QSplitter(Qt::Horizontal);
        charts->addWidget(kernelsEmpty_);
        charts->addWidget(commEmpty_);
        charts->setSizes({720, 620});
        auto* splitter = new QSplitter(Qt::Vertical);
        splitter->addWidget(charts);
        splitter->addWidget(table_);
        splitter->setSizes({540, 220});
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(splitter);
        connect(&session_, &Session::jobChanged, this, [this] { takeJob(); });
        takeJob();
    }

  private:
    void takeJob() {
        showKernels();
        showCollectives();
    }

    void showKernels() {
        const Job* job = session_.job();
        QChart& chart = *kernels_->chart();
        clearChart(chart);
        table_->setFigures({}, {});
        const std::vector<Shape> shapes = job == nullptr ? std::vector<Shape>{} : shapesOf(job->samples.kernels);
        if (shapes.empty()) {
            return kernelsEmpty_->showReason(job == nullptr || job->facts.empty()
                                                 ? tr("A roofline needs measured kernels: open a recording")
                                                 : tr("This recording has no kernels that tell their work (FLOPs and "
                                                      "bytes), so they have no place under a "
                                                      "roof. Annotated jobs do (docs/annotations.md)."));
        }
        kernelsEmpty_->showContent();
        double total = 0.0;
        double low = 1e300, high = 0.0, slow = 1e300, fast = 0.0;
        for (const auto& shape : shapes) {
            total += shape.seconds;
            low = std::min(low, shape.intensity());
            high = std::max(high, shape.intensity());
            slow = std::min(slow, shape.speed());
            fast = std::max(fast, shape.speed());
        }
        const std::string device = job->samples.kernels.front().device;
        std::optional<GpuSpec> gpu;
        if (job->scenario && job->scenario->cluster.gpu.name == device) {
            gpu = job->scenario->cluster.gpu;
        } else {
            try {
                gpu = Catalog().gpu(device);
            } catch (const InputError&) {
                gpu.reset();  // a device without a data sheet has no roof
            }
        }
        if (gpu) fast = std::max(fast, gpu->peak(shapes.front().dtype).value());
        auto* across = logAxis(chart, tr("FLOP a byte"), low, high * 1.01, Qt::AlignBottom);
        auto* up = logAxis(chart, tr("GFLOP/s"), slow / 1e9, fast * 1.05 / 1e9, Qt::AlignLeft);
        const auto attach = [&](QAbstractSeries* series) {
            chart.addSeries(series);
            series->attachAxis(across);
            series->attachAxis(up);
        };
        addPoints(shapes, total, attach);
        if (gpu) addRoof(*gpu, shapes.front().dtype, across->min(), across->max(), attach);
        chart.setTitle(gpu ? tr("Kernels under the roof of %1 (%2); a point's size is its share of the time")
                                 .arg(text(gpu->name), text(name(shapes.front().dtype)))
                           : tr("Kernels of %1, which the catalog does not know: no roof").arg(text(device)));
        dressChart(chart, *this);
        std::vector<std::vector<Cell>> rows;
        for (const auto& shape : shapes) {
            rows.push_back({text(shape.name),
                            text(name(shape.cls)),
                            {countText(shape.count), static_cast<double>(shape.count)},
                            {shareText(shape.seconds / total), shape.seconds},
                            {QString::number(shape.intensity(), 'f', 1), shape.intensity()},
                            {QString::number(shape.speed() / 1e9, 'f', 2), shape.speed()},
                            {QString::number(shape.bytes / shape.seconds / 1e9, 'f', 2), shape.bytes / shape.seconds}});
        }
        table_->setFigures(
            {tr("kernel"), tr("class"), tr("count"), tr("of kernel time"), tr("FLOP/byte"), tr("GFLOP/s"), tr("GB/s")},
            rows);
        table_->sortItems(3, Qt::DescendingOrder);
    }

    template <typename Attach>
    void addPoints(const std::vector<Shape>& shapes, double total, Attach attach) {
        const Palette& palette = paletteFor(this->palette());
        std::map<std::pair<OpClass, int>, QScatterSeries*> series;
        for (const auto& shape : shapes) {
            const double share = shape.seconds / total;
            const int size = share > 0.05 ? 2 : share > 0.005 ? 1 : 0;
            auto& points = series[{shape.cls, size}];
            if (points == nullptr) {
                points = new QScatterSeries;
                points->setName(text(name(shape.cls)));
                points->setMarkerSize(6.0 + 5.0 * size);
                points->setColor(QColor::fromRgb(palette.classes[static_cast<std::size_t>(shape.cls)]));
                points->setBorderColor(QColor::fromRgb(palette.ground));
            }
            points->append(shape.intensity(), shape.speed() / 1e9);
        }
        std::map<OpClass, bool> named;
        for (const auto& [key, points] : series) {
            if (named[key.first]) points->setName(QString());
            named[key.first] = true;
            attach(points);
            hideNameless(*points);
        }
    }

    void hideNameless(QAbstractSeries& series);

    template <typename Attach>
    void addRoof(const GpuSpec& gpu, DType dtype, double low, double high, Attach attach) {
        const double peak = gpu.peak(dtype).value();
        const double bandwidth = gpu.memoryBandwidth.value();
        const double ridge = peak / bandwidth;
        auto* roof = new QLineSeries;
        roof->setName(
            tr("data sheet: %1 TFLOP/s, %2 GB/s").arg(peak / 1e12, 0, 'g', 4).arg(bandwidth / 1e9, 0, 'g', 4));
        if (ridge > low) roof->append(low, low * bandwidth / 1e9);
        if (ridge > low && ridge < high) roof->append(ridge, peak / 1e9);
        roof->append(high, std::min(peak, high * bandwidth) / 1e9);
        if (ridge <= low) roof->insert(0, {low, peak / 1e9});
        roof->setPen(QPen(QColor::fromRgb(paletteFor(palette()).mark), 2));
        attach(roof);
    }

    void showCollectives() {
        const Job* job = session_.job();
        QChart& chart = *comm_->chart();
        clearChart(chart);
        std::map<std::pair<OpClass, int>, std::vector<QPointF>> points;
        double low = 1e300, high = 0.0, slow = 1e300, fast = 0.0;
        if (job != nullptr) {
            for (const auto& sample : job->samples.collectives) {
                if (!(sample.bytes.value() > 0 && sample.time.value() > 0)) continue;
                const double rate = (sample.bytes / sample.time).value() / 1e9;
                points[{sample.kind, sample.ranks}].emplace_back(sample.bytes.value(), rate);
                low = std::min(low, sample.bytes.value());
                high = std::max(high, sample.bytes.value());
                slow = std::min(slow, rate);
                fast = std::max(fast, rate);
            }
        }
        if (points.empty()) {
            return commEmpty_->showReason(
                job == nullptr || job->facts.empty()
                    ? tr("Bandwidths need measured collectives: open a recording, or nccl-tests output")
                    : tr("This recording has no collectives or transfers with known sizes"));
        }
        commEmpty_->showContent();
        auto* across =
            logAxis(chart, tr("bytes (the full buffer, as nccl-tests counts)"), low, high * 1.01, Qt::AlignBottom);
        auto* up = logAxis(chart, tr("GB/s (bytes over time)"), slow, fast * 1.01, Qt::AlignLeft);
        int index = 0;
        for (const auto& [key, values] : points) {
            auto* series = new QScatterSeries;
            series->setName(tr("%1, %2 ranks").arg(text(name(key.first))).arg(key.second));
            series->setMarkerSize(7.0);
            series->setColor(seriesColour(index++));
            series->setBorderColor(Qt::transparent);
            series->append(QList<QPointF>(values.begin(), values.end()));
            chart.addSeries(series);
            series->attachAxis(across);
            series->attachAxis(up);
        }
        chart.setTitle(tr("Measured bandwidth, without waiting for peers"));
        dressChart(chart, *this);
    }

    Session& session_;
    QChartView *kernels_, *comm_;
    EmptyState *kernelsEmpty_, *commEmpty_;
    FigureTable* table_;
};

void RooflineView::hideNameless(QAbstractSeries& series) {
    if (!series.name().isEmpty()) return;
    for (auto* marker : kernels_->chart()->legend()->markers(&series)) marker->setVisible(false);
}

}  // namespace

QWidget* makeRooflineView(Session& session) {
    return new RooflineView(session);
}

}  // namespace orrery::gui
