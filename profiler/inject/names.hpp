// Everything a program registers with NVTX: domains, strings, categories, payload schemas. Handles are 1-based numbers.
// Registration is rare and takes a lock; ranges only carry the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/inject/payload_schema.hpp"
#include "profiler/nvtx/abi.hpp"

namespace orrery::inject {

/// Process-wide and never destroyed: programs may call in while statics are being torn down. Thread-safe.
class Names {
  public:
    static Names& instance();

    /// The same name always gives the same number: several copies of NVTX in one process share their domains.
    std::uint32_t domain(std::string name);
    std::uint32_t string(std::string text);
    void nameCategory(std::uint32_t domain, std::uint32_t category, std::string text);
    void nameThread(std::uint32_t thread, std::string text);
    /// The id that the program chose (NCCL does), or one of ours.
    std::uint64_t schema(std::uint32_t domain, const nvtx::abi::SchemaAttributes& attributes);

    // For the drain thread. Number 0 is the default domain.
    [[nodiscard]] std::string domainName(std::uint32_t domain);
    [[nodiscard]] std::string stringText(std::uint64_t string);
    [[nodiscard]] std::string categoryName(std::uint32_t domain, std::uint32_t category);
    [[nodiscard]] std::optional<PayloadSchema> schemaOf(std::uint32_t domain, std::uint64_t id);
    /// Names given since the last call.
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::string>> takeThreadNames();

    std::mutex& mutex() { return mutex_; }  ///< held across fork()

  private:
    std::mutex mutex_;
    std::vector<std::string> domains_, strings_;
    std::unordered_map<std::string, std::uint32_t> domainNumbers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> categories_;
    std::vector<std::pair<std::uint32_t, std::string>> newThreads_;
    std::map<std::uint64_t, PayloadSchema> ourSchemas_;                                 ///< ids are unique
    std::map<std::pair<std::uint32_t, std::uint64_t>, PayloadSchema> programsSchemas_;  ///< by domain and id
    std::uint64_t nextSchema_ = nvtx::abi::kDynamicSchemaStart;
};

}  // namespace orrery::inject
