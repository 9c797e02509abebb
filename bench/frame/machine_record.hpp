// The machine, the build and the warnings so far, as they stand in every JSON line: a number without them says nothing.
#pragma once

#include "base/json.hpp"

namespace mxk::bench {

// The fields "machine" and "warnings" of the object that is open. The console's core.
void write_machine(JsonWriter& json);

} // namespace mxk::bench
