#include "importers/import_paths.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "importers/align_ranks.hpp"
#include "importers/nsys/nsys_report.hpp"
#include "importers/registry.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {
namespace {

constexpr int kFolderDepth = 2;

/// A report of Nsight Systems without its export beside it: a rank that would be missing in silence.
bool isUnexported(const std::filesystem::path& file) {
    auto exported = file;
    return isNsysReport(file) && !std::filesystem::exists(exported.replace_extension(".sqlite"));
}

bool isKnown(const std::filesystem::path& file) {
    try {
        static_cast<void>(importerFor(file));
        return true;
    } catch (const InputError&) {
        return false;
    }
}

void collect(const std::filesystem::path& folder, int depth, std::vector<std::filesystem::path>& files) {
    std::vector<std::filesystem::path> entries;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) {
        if (std::filesystem::is_directory(entry)) {
            if (depth > 1) collect(entry, depth - 1, files);
        } else if (isUnexported(entry)) {
            throw InputError(howToExport(entry));
        } else if (std::filesystem::is_regular_file(entry) && entry.extension() != ".tmp" && isKnown(entry)) {
            files.push_back(entry);  // a .tmp beside a trace is what a crashed profiler left
        }
    }
}

/// Files without a rank are kept apart, never taken for rank 0 all of them; but nobody can tell which is which.
void warnOfUnknownRanks(ImportSummary& summary) {
    const auto unknown = std::count_if(summary.files.begin(), summary.files.end(),
                                       [](const ImportedFile& file) { return !file.result.rankKnown; });
    if (unknown == 0) return;
    summary.warnings.push_back({fmt::format("{} of {} files do not say which rank they are (no distributedInfo); they "
                                            "stay apart, in the order of their names; say it with --ranks",
                                            unknown, summary.files.size()),
                                unknown});
}

void assignRanks(ProfileWriter& out, const std::vector<std::int64_t>& ranks) {
    if (out.rankCount() != std::ssize(ranks)) {
        throw InputError(
            fmt::format("--ranks names {} ranks, but the files hold {} recorded processes; name one for each, "
                        "in the order of the files",
                        ranks.size(), out.rankCount()));
    }
    if (std::set<std::int64_t>(ranks.begin(), ranks.end()).size() != ranks.size() ||
        std::any_of(ranks.begin(), ranks.end(), [](std::int64_t rank) { return rank < 0; })) {
        throw InputError("--ranks: a rank is named twice or is negative; give different numbers from 0 up");
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) out.assignRank(static_cast<std::int64_t>(i) + 1, ranks[i]);
}

}  // namespace

std::vector<std::filesystem::path> findInputs(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::filesystem::path> files;
    for (const auto& path : paths) {
        if (!std::filesystem::exists(path)) throw InputError(fmt::format("{}: no such file or folder", path.string()));
        if (!std::filesystem::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        const std::size_t before = files.size();
        collect(path, kFolderDepth, files);
        if (files.size() == before) {
            throw InputError(
                fmt::format("{}: holds no file of a known format; name the folder of the traces", path.string()));
        }
    }
    return files;
}

ImportSummary importPaths(const std::vector<std::filesystem::path>& paths, ProfileWriter& out, const Progress& progress,
                          const std::vector<std::int64_t>& ranks) {
    const std::vector<std::filesystem::path> files = findInputs(paths);
    std::uint64_t total = 0;
    for (const auto& file : files) total += std::filesystem::file_size(file);
    ImportSummary summary;
    std::uint64_t before = 0;
    for (const auto& file : files) {
        Progress inner = progress;
        if (progress.report) {
            inner.report = [&, before](std::uint64_t done, std::uint64_t) { progress.report(before + done, total); };
        }
        const Importer& importer = importerFor(file);
        summary.files.push_back({file, std::string(importer.name()), importer.read(file, out, inner)});
        before += std::filesystem::file_size(file);
    }
    alignRanks(summary, out);
    if (!ranks.empty()) {
        assignRanks(out, ranks);
    } else if (files.size() > 1) {
        warnOfUnknownRanks(summary);
    }
    return summary;
}

}  // namespace orrery::importers
