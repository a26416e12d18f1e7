#include "gui/views/figure_table.hpp"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "report/text/escape.hpp"

namespace orrery::gui {
namespace {

class FigureItem : public QTableWidgetItem {
  public:
    explicit FigureItem(const Cell& cell) : QTableWidgetItem(cell.text), value_(cell.value), isNumber_(cell.isNumber) {
        setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        if (isNumber_) setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        const auto* figure = dynamic_cast<const FigureItem*>(&other);
        if (figure != nullptr && isNumber_ && figure->isNumber_) return value_ < figure->value_;
        return QTableWidgetItem::operator<(other);
    }

  private:
    double value_;
    bool isNumber_;
};

}  // namespace

FigureTable::FigureTable(QWidget* parent) : QTableWidget(parent) {
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setFrameShape(NoFrame);
}

void FigureTable::setFigures(const QStringList& headers, const std::vector<std::vector<Cell>>& rows) {
    setSortingEnabled(false);
    clear();
    setColumnCount(static_cast<int>(headers.size()));
    setRowCount(static_cast<int>(rows.size()));
    setHorizontalHeaderLabels(headers);
    for (int row = 0; row < rowCount(); ++row) {
        const auto& cells = rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < columnCount() && column < static_cast<int>(cells.size()); ++column) {
            setItem(row, column, new FigureItem(cells[static_cast<std::size_t>(column)]));
        }
    }
    for (int column = 0; column < columnCount(); ++column) {
        if (rowCount() > 0 && (item(0, column)->textAlignment() & Qt::AlignRight) != 0) {
            horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
    }
    horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
    setSortingEnabled(true);
    resizeColumnsToContents();
    for (int column = 0; column < columnCount(); ++column) setColumnWidth(column, columnWidth(column) + 14);
}

QString FigureTable::asText(QChar separator, bool onlySelected) const {
    QString out;
    const auto field = [separator](const QString& text) {
        return separator == ',' ? QString::fromStdString(csvField(text.toStdString())) : text;
    };
    QStringList fields;
    for (int column = 0; column < columnCount(); ++column)
        fields.push_back(field(horizontalHeaderItem(column)->text()));
    out += fields.join(separator) + '\n';
    for (int row = 0; row < rowCount(); ++row) {
        if (onlySelected && item(row, 0) != nullptr && !item(row, 0)->isSelected()) continue;
        fields.clear();
        for (int column = 0; column < columnCount(); ++column) {
            fields.push_back(item(row, column) == nullptr ? QString() : field(item(row, column)->text()));
        }
        out += fields.join(separator) + '\n';
    }
    return out;
}

void FigureTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(asText('\t', !selectedItems().isEmpty()));
        return;
    }
    QTableWidget::keyPressEvent(event);
}

}  // namespace orrery::gui
