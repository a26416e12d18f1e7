// What every trace format implements. A format is a folder with one Importer, registered in importers/registry.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/store/profile_writer.hpp"

namespace orrery::importers {

/// Shared by everything long-running: progress goes out, cancel comes in.
struct Progress {
    std::function<void(std::uint64_t done, std::uint64_t total)> report;  ///< bytes; may be empty
    const std::atomic<bool>* cancelled = nullptr;
    bool hostOperators = false;  ///< asked for: operators, Python functions and API calls of the host as well

    [[nodiscard]] bool isCancelled() const {
        return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
    }
};

/// A record that was wrong or incomplete but did not stop the import.
struct Warning {
    std::string text;        ///< one line, with the place ("byte 1234: ...")
    std::int64_t count = 1;  ///< how often this kind occurred; the text names the first
    bool advice = false;     ///< nothing is broken: a note that tells how to get more, no error with --strict
};

/// A rank's collectives by its own clock, so that ranks of different hosts can be aligned once all are read.
struct RankClock {
    std::int64_t rankId = 0;  ///< in the profile that is written
    RankRow row;
    std::vector<std::pair<std::uint64_t, std::int64_t>> collectiveEnds;  ///< which one, and when this rank left it
};

struct ImportResult {
    std::vector<Warning> warnings;
    std::int64_t events = 0;  ///< records read
    std::vector<RankClock> clocks;
    bool rankKnown = true;  ///< false: a rank's trace that does not say which rank it is
};

/// Thrown when Progress::cancelled was set; nothing is left behind.
class Cancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

class Importer {
  public:
    virtual ~Importer() = default;
    /// "kineto", "nccl_tests", ...; goes into ranks.source.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Whether this format could have written a file with these first bytes (already gunzipped). Never throws.
    [[nodiscard]] virtual bool recognises(std::string_view head) const = 0;
    /// Reads one file into the profile. Throws InputError (file, place, mend), Cancelled.
    virtual ImportResult read(const std::filesystem::path& file, ProfileWriter& out,
                              const Progress& progress) const = 0;
};

}  // namespace orrery::importers
