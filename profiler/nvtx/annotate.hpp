// Marks what a program does with NVTX ranges, for any recorder that NVTX_INJECTION64_PATH names (ours, Nsight Systems).
// Without a recorder every call is a test of one pointer. docs/annotations.md says which ranges Orrery understands.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/nvtx/abi.hpp"

namespace orrery::nvtx {

/// Whether a recorder took hold of this process.
[[nodiscard]] bool recording();

enum class FieldType : std::uint8_t { int64, float64 };
struct Field {
    const char* name;
    FieldType type = FieldType::int64;
};

/// 64 bits of a payload: an integer or a double, as the schema's field says.
struct Value {
    std::uint64_t bits;
    Value(std::int64_t v) : bits(static_cast<std::uint64_t>(v)) {}  // NOLINT(google-explicit-constructor)
    Value(int v) : Value(static_cast<std::int64_t>(v)) {}           // NOLINT(google-explicit-constructor)
    Value(double v);                                                // NOLINT(google-explicit-constructor)
};

/// A name that was handed to the recorder once, so that ranges carry a handle.
struct Name {
    abi::String handle = nullptr;
    const char* text = "";
};
struct Category {
    std::uint32_t id = 0;
};
/// The layout of a payload: consecutive 64-bit fields.
struct Schema {
    std::uint64_t id = 0;
    std::size_t fields = 0;
};

/// A group of ranges that belong together. Domains live as long as the process.
class Domain {
  public:
    explicit Domain(const char* name);

    /// `text` must outlive the domain (string literals do).
    [[nodiscard]] Name name(const char* text) const;
    [[nodiscard]] Category category(std::uint32_t id, const char* text) const;
    [[nodiscard]] Schema schema(const char* name, std::initializer_list<Field> fields) const;
    void mark(Category category, Name name) const;

    [[nodiscard]] abi::Domain handle() const { return handle_; }

  private:
    abi::Domain handle_ = nullptr;
};

/// A range from construction to destruction on the calling thread.
class Range {
  public:
    Range(const Domain& domain, Category category, Name name);
    /// \pre values.size() == schema.fields
    Range(const Domain& domain, Category category, Name name, Schema schema, std::initializer_list<Value> values);
    ~Range();
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

  private:
    abi::Domain domain_;
};

}  // namespace orrery::nvtx
