// Which options go with which model of work.
#pragma once

#include "base/result.hpp"
#include "bench/table/table_options.hpp"

namespace mxk::bench {

// Errors: an option that only another model knows, a kind of semaphore that this build has not, a table that cannot be
// used without semaphores.
Result<void> check_model(TableOptions const& options);

} // namespace mxk::bench
