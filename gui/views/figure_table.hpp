// A table of figures: sortable by value, copied with Ctrl+C as text that spreadsheets take, saved as CSV.
#pragma once

#include <QTableWidget>
#include <vector>

namespace orrery::gui {

/// What a cell shows and what it sorts by (the text itself when there is no number).
struct Cell {
    Cell(QString shown) : text(std::move(shown)) {}
    Cell(QString shown, double number) : text(std::move(shown)), value(number), isNumber(true) {}

    QString text;
    double value = 0.0;
    bool isNumber = false;
};

class FigureTable : public QTableWidget {
    Q_OBJECT
  public:
    explicit FigureTable(QWidget* parent = nullptr);

    void setFigures(const QStringList& headers, const std::vector<std::vector<Cell>>& rows);
    /// The selected rows, or all, with a header line; fields parted by `separator` and quoted where needed.
    [[nodiscard]] QString asText(QChar separator, bool onlySelected) const;
    [[nodiscard]] QString asMarkdown(bool onlySelected) const;
    /// All rows as CSV, written beside and renamed. Throws InputError.
    void saveCsv(const QString& file) const;

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    [[nodiscard]] std::vector<QStringList> lines(bool onlySelected) const;
};

}  // namespace orrery::gui
