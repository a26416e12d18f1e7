// A file of the catalog as it is inside the program (cmake/EmbedFolder.cmake writes the table).
#pragma once

#include <span>
#include <string_view>

namespace orrery {

struct EmbeddedFile {
    std::string_view name;  ///< below data/catalog: "gpus/h100-sxm.toml"
    std::string_view text;
};

}  // namespace orrery
