#include "importers/kineto/categories.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace orrery::importers {
namespace {

constexpr std::array kKept{
    std::pair{std::string_view("kernel"), KinetoCategory::kernel},
    std::pair{std::string_view("gpu_memcpy"), KinetoCategory::memcpy},
    std::pair{std::string_view("memcpy"), KinetoCategory::memcpy},
    std::pair{std::string_view("gpu_memset"), KinetoCategory::memset},
    std::pair{std::string_view("memset"), KinetoCategory::memset},
    std::pair{std::string_view("user_annotation"), KinetoCategory::userAnnotation},
    std::pair{std::string_view("gpu_user_annotation"), KinetoCategory::gpuUserAnnotation},
};

bool equalIgnoringCase(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
               return std::tolower(x) == std::tolower(y);
           });
}

}  // namespace

KinetoCategory categoryOf(std::string_view text) {
    for (const auto& [name, category] : kKept) {
        if (equalIgnoringCase(text, name)) return category;
    }
    return KinetoCategory::other;
}

}  // namespace orrery::importers
