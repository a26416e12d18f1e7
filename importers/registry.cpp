#include "importers/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "importers/chakra/chakra_importer.hpp"
#include "importers/io/file_reader.hpp"
#include "importers/kineto/kineto_importer.hpp"
#include "importers/nccl_tests/nccl_tests_importer.hpp"
#include "importers/nsys/nsys_importer.hpp"
#include "importers/nsys/nsys_report.hpp"
#include "importers/orrery_profile/orrery_profile_importer.hpp"
#include "importers/straggler/straggler_importer.hpp"
#include "model/units/input_error.hpp"

namespace orrery::importers {

const std::vector<const Importer*>& allImporters() {
    static const OrreryProfileImporter orreryProfile;
    static const StragglerImporter straggler;  // before kineto: its list of Chrome events is told by its own keys
    static const KinetoImporter kineto;
    static const NsysImporter nsys;
    static const ChakraImporter chakra;
    static const NcclTestsImporter ncclTests;
    static const std::vector<const Importer*> all{&orreryProfile, &nsys, &straggler, &kineto, &ncclTests, &chakra};
    return all;
}

const Importer& importerFor(const std::filesystem::path& file) {
    const std::string head = readHead(file);
    if (head.empty())
        throw InputError(fmt::format("{}: the file is empty or its gzip stream is damaged", file.string()));
    for (const Importer* importer : allImporters()) {
        if (importer->recognises(head)) return *importer;
    }
    if (isNsysReport(file)) throw InputError(howToExport(file));
    const bool binary = std::any_of(head.begin(), head.begin() + std::min<std::ptrdiff_t>(512, std::ssize(head)),
                                    [](char c) { return c == '\0'; });
    std::string known;
    for (const Importer* importer : allImporters())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", importer->name());
    throw InputError(fmt::format("{}: {} of no known format; known are: {}", file.string(),
                                 binary ? "binary content" : "content", known));
}

}  // namespace orrery::importers
