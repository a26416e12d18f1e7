#include "report/trace/write_timeline.hpp"

#include <fmt/format.h>

#include "model/units/input_error.hpp"
#include "report/text/write_file.hpp"
#include "report/trace/chakra_trace.hpp"

namespace orrery {

namespace {

/// job.et becomes job.0.et, job.1.et ...: the format holds a rank a file.
void writeChakra(const std::filesystem::path& file, const std::vector<NamedTimeline>& timelines) {
    if (timelines.size() != 1) throw InputError(fmt::format("{}: .et holds one timeline, not several", file.string()));
    const auto contents = chakraTraces(timelines.front().timeline);
    for (std::size_t i = 0; i < contents.size(); ++i) {
        auto one = file;
        writeFile(one.replace_extension(fmt::format("{}.et", i)), contents[i]);
    }
}

}  // namespace

void writeTimeline(const std::filesystem::path& file, const std::vector<NamedTimeline>& timelines) {
    const auto suffix = file.extension().string();
    if (suffix == ".pftrace" || suffix == ".perfetto-trace") return writeFile(file, perfettoTrace(timelines));
    if (suffix == ".json") return writeFile(file, chromeTrace(timelines));
    if (suffix == ".et") return writeChakra(file, timelines);
    throw InputError(
        fmt::format("{}: a timeline is written as .json (Chrome), .pftrace (Perfetto) or .et (Chakra), not '{}'",
                    file.string(), suffix));
}

}  // namespace orrery
