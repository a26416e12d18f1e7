// What the colours and patterns of the timeline mean: one line of swatches, of what the open job has.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/session/session.hpp"
#include "gui/style/palette.hpp"

namespace orrery::gui {

class Legend : public QWidget {
  public:
    explicit Legend(QWidget* parent = nullptr);
    void setSides(const TimelineSide& predicted, const TimelineSide& measured);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Entry {
        QString name;
        Phase phase = Phase::other;
        OpClass cls = OpClass::other;
        Pattern pattern = Pattern::solid;
    };
    std::vector<Entry> entries_;
};

}  // namespace orrery::gui
