#include "report/trace/write_timeline.hpp"

#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "report/text/write_file.hpp"

namespace orrery {

void writeTimeline(const std::filesystem::path& file, const std::vector<NamedTimeline>& timelines) {
    const auto suffix = file.extension().string();
    if (suffix == ".pftrace" || suffix == ".perfetto-trace") return writeFile(file, perfettoTrace(timelines));
    if (suffix == ".json") return writeFile(file, chromeTrace(timelines));
    throw InputError(fmt::format("{}: a timeline is written as .json (Chrome) or .pftrace (Perfetto), not '{}'",
                                 file.string(), suffix));
}

}  // namespace orrery
