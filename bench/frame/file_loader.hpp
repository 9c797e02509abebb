// What `--load` does, where a program has it: adds what files have to the registries (base/registry.hpp). A program has
// one or none; it registers itself.
#pragma once

#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"

namespace mxk::bench {

struct FileLoader {
    // `names`: with commas between. Errors: what one of them is not; some may have been loaded. Once, before anything
    // runs.
    Result<void> (*load)(std::string_view names);
};
MXK_REGISTRY(mxk_file_loaders, FileLoader, registered_file_loaders)

} // namespace mxk::bench
