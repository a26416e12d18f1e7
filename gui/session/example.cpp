#include "gui/session/example.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "model/units/input_error.hpp"
#include "report/text/write_file.hpp"

namespace orrery {
extern const std::string_view kExampleScenario;  // examples/uneven-documents.toml
}

namespace orrery::gui {
namespace {

class Folder {
  public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "orrery-gui-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw InputError(pattern + ": no temporary folder can be made; set TMPDIR");
        }
        path = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::filesystem::path path;
};

}  // namespace

std::filesystem::path exampleFile() {
    static const Folder folder;
    const auto file = folder.path / "uneven-documents.toml";
    writeFile(file, kExampleScenario);
    return file;
}

}  // namespace orrery::gui
