#include "gui/views/plan_text.hpp"

#include "gui/style/texts.hpp"

namespace orrery::gui {

QString planText(const ParallelPlan& p) {
    QString out = QStringLiteral("tp%1 pp%2 dp%3").arg(p.tp).arg(p.pp).arg(p.dp);
    if (p.vpp > 1) out += QStringLiteral(" vpp%1").arg(p.vpp);
    if (p.cp > 1) out += QStringLiteral(" cp%1").arg(p.cp);
    if (p.ep > 1) out += QStringLiteral(" ep%1").arg(p.ep);
    if (p.sequenceParallel) out += QStringLiteral(" sp");
    out += QStringLiteral(" · ") + text(name(p.schedule));
    if (p.recompute != Recompute::none) out += QStringLiteral(" · recompute ") + text(name(p.recompute));
    return out + QStringLiteral(" · %1 · %2").arg(text(name(p.sharding)), text(name(p.precision)));
}

}  // namespace orrery::gui
