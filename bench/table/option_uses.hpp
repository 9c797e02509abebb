// Which engines use which options: what the chosen one would ignore is refused, and not shown with the results.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "bench/table/engine.hpp"

namespace mxk::bench {

// `kind`: the chosen engine, or null where none is chosen yet: then what depends on it is not checked. Errors: an
// option was given that this way of running operations does not use, or that this build does not have.
Result<void> check_uses(TableOptions const& options, EngineKind const* kind);

// Whether the engine uses this option (as in "--prefetch").
bool uses(TableOptions const& options, std::string_view option);

} // namespace mxk::bench
