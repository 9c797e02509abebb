// The console: a person (or a script) at one end of a wire, the commands at the other. A task on core 0 feeds it the
// bytes that arrive; commands run inside feed(). Everything that can be typed can also stand in run= on the kernel
// command line. One core only; blocks as the commands do.
#pragma once

#include <string_view>

#include "base/text.hpp"
#include "kernel/console/line_editor.hpp"
#include "kernel/console/shell.hpp"

namespace mxk::console {

class Console {
  public:
    constexpr explicit Console(TextSink& out)
        : out_(out)
        , shell_(out)
        , editor_(out, prompt, shell_) {}

    // Runs the commands of `run_line` one by one, each shown as if it had been typed, then shows the prompt.
    void start(std::string_view run_line);

    // A byte from the terminal.
    void feed(char byte);

    // Whether any command has failed since boot.
    [[nodiscard]] bool failed() const { return shell_.failed(); }

  private:
    static constexpr std::string_view prompt = "mxk> ";

    TextSink& out_;
    Shell shell_;
    LineEditor editor_;
};

} // namespace mxk::console
