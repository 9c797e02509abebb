// A library with an allocator that is loaded when it is asked for, and not linked: all of these also define malloc()
// and free(), and linked would be the whole program's. What it defines, it uses itself (RTLD_DEEPBIND), and nobody else
// does (RTLD_LOCAL).
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

class HeapLibrary {
  public:
    // `file`: as the loader knows it; `package`: the one of Debian that has it.
    constexpr HeapLibrary(char const* file, std::string_view package)
        : file_(file)
        , package_(package) {}

    // Once is enough. Errors: why it cannot be loaded. The console's task.
    Result<void> open() {
        if (handle_ != nullptr) return {};
        handle_ = dlopen(file_, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (handle_ == nullptr) return Error::of("{} (Debian: {})", dlerror(), package_);
        return {};
    }

    // Its function of that name. Errors: it has none.
    template <typename Function> Result<void> find(char const* name, Function*& function) const {
        function = reinterpret_cast<Function*>(dlsym(handle_, name));
        if (function == nullptr) return Error::of("{} has no {}", file_, name);
        return {};
    }

    // The file that it is, which has the version in its name. Once open.
    void print_file(TextSink& out) const {
        link_map const* map = nullptr;
        if (dlinfo(handle_, RTLD_DI_LINKMAP, reinterpret_cast<void*>(&map)) != 0) return;
        std::error_code error;
        auto const file = std::filesystem::canonical(map->l_name, error);
        out.write(error ? std::string(file_) : file.filename().string());
    }

  private:
    char const* file_;
    std::string_view package_;
    void* handle_ = nullptr; // until the program ends: its threads' caches are its own
};

} // namespace mxk::bench
