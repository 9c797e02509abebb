// Who is at the program's terminal (arch/terminal.hpp), and in which mode it is left.
#pragma once

namespace mxk::arch {

// Begins to read standard input: the bytes are announced to core 0. A terminal is taken out of its line mode until the
// program ends. Once, after core 0 has been adopted.
void open_terminal();
// Instead: no byte will ever come.
void close_terminal();
// Gives the terminal its own mode back, if it was taken. Any thread, signal handlers too.
void restore_terminal();

} // namespace mxk::arch
