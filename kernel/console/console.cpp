#include "kernel/console/console.hpp"

#include "base/format.hpp"
#include "kernel/console/words.hpp"

namespace mxk::console {

void Console::start(std::string_view run_line) {
    while (!run_line.empty()) {
        std::string_view const command = trimmed(take_command(run_line));
        if (command.empty()) continue;
        format(out_, "{}{}\n", prompt, command);
        shell_.execute(command);
    }
    editor_.begin_line();
}

void Console::feed(char byte) {
    auto const line = editor_.feed(byte);
    if (!line) return;
    shell_.execute(*line);
    editor_.begin_line();
}

} // namespace mxk::console
