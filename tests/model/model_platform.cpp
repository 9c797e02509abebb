// The end of a broken invariant, under the model checker: an execution with an error.
#include <cstdlib>
#include <string>

#include "base/panic.hpp"
#include "tests/model/weak_memory.hpp"

namespace mxk {

void die(std::string_view message, std::source_location where) {
    static std::string what;
    what = std::string(message) + ": " + test::text_of(where);
    test::WeakMemory::current().fail(what.c_str());
    std::abort();
}

} // namespace mxk
