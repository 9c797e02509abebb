// The terminal, on Linux: standard input and output. Text goes out as it is; bytes are read only once open_terminal()
// has been called.
#pragma once

#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace mxk::arch {

// Any thread; a call's text comes out whole. Blocks as standard output does.
void terminal_write(std::string_view text);

// The same as a sink.
class TerminalSink final : public TextSink {
  public:
    void write(std::string_view text) override { terminal_write(text); }
};

// The next byte that arrived, if any. The boot core only.
std::optional<char> terminal_read();

// Whether a person types at it, who wants to see and edit what is typed: input and output are a terminal.
bool terminal_is_interactive();
// Whether what is written may be written over, as progress is: output is a terminal.
bool terminal_is_screen();
// Whether no byte will ever come again: the end of the input has been read.
bool terminal_closed();

// True once after Ctrl-C was typed or SIGINT arrived, whatever else waits unread before it. Any thread.
bool take_interrupt_request();

// Begins to read standard input: the bytes are announced to core 0. A terminal is taken out of its line mode until the
// program ends. Once, after core 0 has been adopted.
void open_terminal();
// Instead: no byte will ever come.
void close_terminal();
// Gives the terminal its own mode back, if it was taken. Any thread, signal handlers too.
void restore_terminal();

} // namespace mxk::arch
