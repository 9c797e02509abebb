// The console: a person (or a script) at one end of a wire, the commands at the other. A task on core 0 feeds it the
// bytes that arrive; commands run inside feed(). Everything that can be typed can also stand in run= on the kernel
// command line. One core only; blocks as the commands do.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/text.hpp"
#include "kernel/console/line_editor.hpp"
#include "kernel/console/plain_reader.hpp"
#include "kernel/console/shell.hpp"

namespace mxk::console {

// What is at the other end. Both a serial line and a terminal are for persons, who see a prompt, what is typed, and
// what is run; at a terminal Ctrl-D on an empty line ends the program. A script sees the output only.
enum class Partner : std::uint8_t { SerialLine, Terminal, Script };

class Console {
  public:
    constexpr explicit Console(TextSink& out)
        : out_(out)
        , shell_(out)
        , editor_(out, prompt, shell_) {}

    // Runs the commands of `run_line` one by one, then shows the prompt if there is a person to see it.
    void start(std::string_view run_line, Partner partner);

    // A byte from the other end.
    void feed(char byte);

    // No byte will follow: runs a last line that has no end, then `exit`.
    void end_of_input();

    // Whether any command has failed since boot.
    [[nodiscard]] bool failed() const { return shell_.failed(); }

  private:
    static constexpr std::string_view prompt = "mxk> ";
    static constexpr char ctrl_d = 0x04;

    void feed_plain(char byte);
    void execute_plain_line();

    TextSink& out_;
    Shell shell_;
    LineEditor editor_;
    PlainReader reader_;
    Partner partner_ = Partner::SerialLine;
};

} // namespace mxk::console
