#include "kernel/console/command.hpp"

namespace mxk::console {

Result<void> expect_no_arguments(std::span<std::string_view const> arguments) {
    if (arguments.empty()) return {};
    return Error::of("unexpected argument '{}': the command takes none", arguments.front());
}

} // namespace mxk::console
