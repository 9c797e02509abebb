// The terminal: on metal the serial line, on Linux standard input and output. On metal line ends are written as CR LF.
// Bytes that arrive are kept until read.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace mxk::arch {

// Any core; a call's text comes out whole. Waits for the line (up to about a millisecond a character), on Linux as
// standard output does.
void terminal_write(std::string_view text);

// How many characters fit in a row: what the terminal tells, 80 if it tells nothing, as a serial line. Linux: 0 if the
// output is no terminal. Any core.
std::size_t terminal_columns();

// The same as a sink.
class TerminalSink final : public TextSink {
  public:
    void write(std::string_view text) override { terminal_write(text); }
    [[nodiscard]] std::size_t columns() const override { return terminal_columns(); }
};

// So many bytes from a serial line are kept until they are read: what may be pasted while a command runs.
constexpr std::size_t terminal_input_room = 16384;

// The next byte that arrived, if any. The boot core only.
std::optional<char> terminal_read();

// How many bytes that arrived are lost, since there was no room for them, since the last call; on a serial line with
// its overruns, each of which is one byte or more. Linux: none, since there the sender waits. The boot core only.
std::size_t terminal_take_lost();

// Whether a person types at it, who wants to see and edit what is typed: a serial line, or input and output that are a
// terminal.
bool terminal_is_interactive();
// Whether what is written may be written over, as progress is: a serial line, or output that is a terminal.
bool terminal_is_screen();
// Whether no byte will ever come again: the end of the input has been read. A serial line has none.
bool terminal_closed();

// True once after Ctrl-C (on Linux SIGINT, too) arrived, whatever else waits unread before it. Any
// core; one load while there is none.
bool take_interrupt_request();

} // namespace mxk::arch
