// Everything a program registers with NVTX: domains, strings, categories, payload schemas. Handles are 1-based numbers.
// Registration is rare and takes a lock; ranges only carry the numbers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {

struct SchemaFieldInfo {
    std::string name;
    std::uint64_t type = 0;
    std::uint64_t offset = 0;
    bool scalar = true;  ///< arrays and pointers are not kept
};
struct SchemaInfo {
    std::uint32_t domain = 0;
    std::string name;
    std::vector<SchemaFieldInfo> fields;
};

/// Process-wide and never destroyed: programs may call in while statics are being torn down.
class Names {
  public:
    static Names& instance();

    /// The same name always gives the same number: several copies of NVTX in one process share their domains.
    std::uint32_t domain(std::string name);
    std::uint32_t string(std::uint32_t domain, std::string text);
    void nameCategory(std::uint32_t domain, std::uint32_t category, std::string text);
    void nameThread(std::uint32_t thread, std::string text);
    std::uint64_t schema(std::uint32_t domain, const nvtx::abi::SchemaAttributes& attributes);

    // For the drain thread. Number 0 is the default domain.
    [[nodiscard]] std::string domainName(std::uint32_t domain);
    [[nodiscard]] std::string stringText(std::uint32_t string);
    [[nodiscard]] std::string categoryName(std::uint32_t domain, std::uint32_t category);
    [[nodiscard]] std::optional<SchemaInfo> schemaInfo(std::uint32_t domain, std::uint64_t id);
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::string>> threadNames();

    std::mutex& mutex() { return mutex_; }  ///< held across fork()

  private:
    std::mutex mutex_;
    std::vector<std::string> domains_, strings_;
    std::unordered_map<std::string, std::uint32_t> domainNumbers_;
    std::unordered_map<std::uint64_t, std::string> categories_;
    std::unordered_map<std::uint32_t, std::string> threads_;
    std::unordered_map<std::uint64_t, SchemaInfo> dynamicSchemas_;  ///< ids are unique
    std::unordered_map<std::string, SchemaInfo> staticSchemas_;     ///< by "domain/id"
    std::uint64_t nextSchema_ = nvtx::abi::kDynamicSchemaStart;
};

}  // namespace orrery::inject
