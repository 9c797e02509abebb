#include "kernel/console/command.hpp"

#include "kernel/console/named.hpp"

namespace mxk::console {

Outcome Invocation::fail(Error const& error) const {
    format(out, "error: {}\n", error.message());
    return Outcome::Failed;
}

Result<void> expect_no_arguments(Invocation const& invocation) {
    if (invocation.arguments.empty()) return {};
    return Error::of("unexpected argument '{}': the command takes none", invocation.arguments.front());
}

Outcome show_help(Invocation& invocation, std::string_view name, std::string_view topic) {
    Command const* const command = find_by_name(registered_commands(), name);
    if (command == nullptr) return invocation.fail(unknown_name("command", name, registered_commands()));
    if (!topic.empty()) {
        if (command->help_topic != nullptr) return command->help_topic(invocation, topic);
        return invocation.fail(Error::of("'{}' has no topics; 'help {}' says all there is", name, name));
    }
    format(invocation.out, "{}: {}\n", command->name, command->summary);
    if (command->help != nullptr) command->help(invocation.out);
    return Outcome::Ok;
}

} // namespace mxk::console
