// One trace text through the importer into a profile, ready to be asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/store/profile.hpp"
#include "importers/import_paths.hpp"
#include "tests/support/temp_folder.hpp"

namespace orrery::test {

struct KernelSeen {
    std::string name;
    KernelRow row;
};

class Imported {
  public:
    explicit Imported(std::string_view text, std::string_view name = "trace.json") {
        ProfileWriter writer(folder_ / "job.db");
        summary = importers::importPaths({folder_.write(name, text)}, writer, {});
        writer.finish();
    }
    [[nodiscard]] Profile profile() const { return Profile(folder_ / "job.db"); }
    [[nodiscard]] std::vector<KernelSeen> kernels() const {
        std::vector<KernelSeen> seen;
        profile().forEachKernel([&](const KernelView& view) { seen.push_back({std::string(view.name), view}); });
        return seen;
    }
    /// All warnings of the file in one text.
    [[nodiscard]] std::string warnings() const {
        std::string text;
        for (const auto& file : summary.files) {
            for (const auto& warning : file.result.warnings) text += warning.text + "\n";
        }
        return text;
    }

    importers::ImportSummary summary;

  private:
    TempFolder folder_;
};

/// A kernel event of 5 us at `start` us on device 0, stream 7; `extra` goes into its arguments.
inline std::string kernelEvent(const std::string& name, const std::string& start = "100",
                               const std::string& extra = "") {
    constexpr const char* kEvent =
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":5,"args":{{"device":0,"stream":7,"correlation":1{}}}}})";
    return fmt::format(kEvent, name, start, extra);
}

/// Events with commas between them.
inline std::string joined(const std::vector<std::string>& events) {
    return fmt::format("{}", fmt::join(events, ","));
}

inline std::string trace(const std::string& events, const std::string& head = "", const std::string& tail = "") {
    return fmt::format(R"({{"schemaVersion":1,{}"traceEvents":[{}]{}}})", head, events, tail);
}

}  // namespace orrery::test
