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
    std::pair{std::string_view("cuda_sync"), KinetoCategory::synchronization},
    std::pair{std::string_view("cuda_runtime"), KinetoCategory::apiCall},
    std::pair{std::string_view("cuda_driver"), KinetoCategory::apiCall},
    std::pair{std::string_view("runtime"), KinetoCategory::apiCall},
    std::pair{std::string_view("xpu_runtime"), KinetoCategory::apiCall},
    std::pair{std::string_view("mtia_runtime"), KinetoCategory::apiCall},
    std::pair{std::string_view("privateuse1_runtime"), KinetoCategory::apiCall},
    std::pair{std::string_view("privateuse1_driver"), KinetoCategory::apiCall},
    std::pair{std::string_view("cpu_instant_event"), KinetoCategory::instant},
    std::pair{std::string_view("cpu_op"), KinetoCategory::hostOperator},
    std::pair{std::string_view("operator"), KinetoCategory::hostOperator},
    std::pair{std::string_view("python_function"), KinetoCategory::hostOperator},
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
