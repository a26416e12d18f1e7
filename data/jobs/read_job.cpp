#include "data/jobs/read_job.hpp"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "data/jobs/hugging_face_config.hpp"
#include "data/jobs/megatron_arguments.hpp"
#include "model/units/input_error.hpp"

namespace orrery {
namespace {
constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 20;
}

JobDescription readJob(const std::filesystem::path& file) {
    const std::string name = file.string();
    std::error_code failed;
    std::ifstream in(file, std::ios::binary);
    if (!in || !std::filesystem::is_regular_file(file, failed))
        throw InputError(
            fmt::format("{}: no such file; name a config.json or a script with Megatron-LM's arguments", name));
    if (std::filesystem::file_size(file, failed) > kLargestFile)
        throw InputError(fmt::format("{}: larger than 16 MiB; that is no job description", name));
    std::stringstream buffer;
    buffer << in.rdbuf();
    const std::string text = buffer.str();
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string::npos) throw InputError(fmt::format("{}: empty", name));
    if (text.find('\0') != std::string::npos) throw InputError(fmt::format("{}: a binary file; give text", name));
    JobDescription job;
    if (text[start] == '{') {
        job = parseHuggingFaceConfig(text, name);
    } else if (text.find("--num-layers") != std::string::npos || text.find("--hidden-size") != std::string::npos) {
        job = parseMegatronArguments(text, name);
    } else {
        throw InputError(fmt::format(
            "{}: neither a Hugging Face config.json nor Megatron-LM arguments (no --num-layers); see docs/cli.md",
            name));
    }
    try {
        validate(job.model);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name, error.what()));
    }
    return job;
}

}  // namespace orrery
