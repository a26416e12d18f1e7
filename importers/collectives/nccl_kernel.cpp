#include "importers/collectives/nccl_kernel.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace orrery::importers {
namespace {

// NCCL, src/device/generate.py: all_algos and all_protos. Longer names first where one begins with another.
constexpr std::array<std::string_view, 7> kAlgorithms{"COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS_TREE", "NVLS",
                                                      "RING",           "TREE",          "PAT"};
constexpr std::array<std::string_view, 3> kProtocols{"LL128", "SIMPLE", "LL"};

/// Whether `word` stands in `name` between underscores or at its end.
bool holds(std::string_view name, std::string_view word) {
    for (auto at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
        const auto end = at + word.size();
        if (at > 0 && name[at - 1] == '_' && (end == name.size() || name[end] == '_')) return true;
    }
    return false;
}

}  // namespace

NcclKernel ncclKernel(std::string_view name) {
    name = name.substr(0, name.find('('));
    NcclKernel kernel;
    if (name.find("nccl") == std::string_view::npos) return kernel;
    const auto first = [&](const auto& words) {
        const auto found = std::find_if(words.begin(), words.end(), [&](auto word) { return holds(name, word); });
        return found == words.end() ? std::string{} : std::string(*found);
    };
    kernel.algorithm = first(kAlgorithms);
    kernel.protocol = first(kProtocols);
    return kernel;
}

std::optional<OpClass> collectiveClass(std::string_view name) {
    std::string letters;  // "_reduce_scatter_base" and "reduceScatter" alike
    for (const char c : name) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
            letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    static constexpr std::array<std::pair<std::string_view, OpClass>, 9> kWords{{
        {"allreduce", OpClass::allReduce},
        {"allgather", OpClass::allGather},
        {"reducescatter", OpClass::reduceScatter},
        {"alltoall", OpClass::allToAll},
        {"broadcast", OpClass::broadcast},
        {"barrier", OpClass::allReduce},  // ProcessGroupNCCL's barrier is an all-reduce of one element
        {"send", OpClass::sendRecv},
        {"recv", OpClass::sendRecv},
        {"coalescedptop", OpClass::sendRecv},
    }};
    for (const auto& [word, cls] : kWords) {
        if (letters.find(word) != std::string::npos) return cls;
    }
    return std::nullopt;
}

}  // namespace orrery::importers
