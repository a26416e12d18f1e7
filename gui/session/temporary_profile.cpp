#include "gui/session/temporary_profile.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "data/store/profile.hpp"
#include "model/units/input_error.hpp"

namespace orrery::gui {

TemporaryProfile::TemporaryProfile(const std::vector<std::filesystem::path>& paths,
                                   const importers::Progress& progress) {
    if (paths.size() == 1 && isProfile(paths.front())) {
        file_ = paths.front();
        return;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "orrery-gui-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw InputError(pattern + ": no temporary folder can be made; set TMPDIR");
    folder_ = pattern;
    file_ = folder_ / "job.db";
    try {
        ProfileWriter writer(file_);
        summary_ = importers::importPaths(paths, writer, progress);
        writer.finish();
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        throw;
    }
}

TemporaryProfile::~TemporaryProfile() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace orrery::gui
