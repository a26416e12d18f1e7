// A shared library that may be absent, opened by the first of several names that the loader finds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <dlfcn.h>

namespace orrery::cli {

class SharedLibrary {
  public:
    explicit SharedLibrary(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            handle_.reset(dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL));
            if (!handle_) continue;
            name_ = name;
            return;
        }
    }

    [[nodiscard]] bool open() const { return handle_ != nullptr; }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Null when the library has no such function.
    template <typename Function>
    [[nodiscard]] Function* function(const char* symbol) const {
        return reinterpret_cast<Function*>(dlsym(handle_.get(), symbol));
    }

  private:
    // CUDA's libraries do not survive being unloaded, so a handle is never closed.
    struct KeepOpen {
        void operator()(void*) const {}
    };
    std::unique_ptr<void, KeepOpen> handle_;
    std::string name_;
};

}  // namespace orrery::cli
