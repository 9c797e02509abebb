#include "kernel/console/command.hpp"

namespace mxk::console {

Result<void> expect_no_arguments(Invocation const& invocation) {
    if (invocation.arguments.empty()) return {};
    return Error::of("unexpected argument '{}': the command takes none", invocation.arguments.front());
}

} // namespace mxk::console
