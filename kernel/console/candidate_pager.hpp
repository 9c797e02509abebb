// A list of candidates on the terminal, in columns. One that is longer than the screen is asked for first, and shown a
// screen or a row at a time: it stops in a row of its own that says which keys do what. Neither knows the line nor what
// it is for. One core at a time; blocks only as the sink does.
#pragma once

#include <cstddef>

#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/key_decoder.hpp"
#include "kernel/console/line_display.hpp"

namespace mxk::console {

class CandidatePager {
  public:
    // Rows of a terminal, but for the one that asks.
    static constexpr std::size_t page_rows = 23;

    constexpr explicit CandidatePager(TextSink& terminal)
        : terminal_(terminal) {}

    // The terminal's cursor stands in the first column, and does when this or press() returns false. `candidates` stay
    // as they are until then. True: it waits for a key.
    bool start(Candidates const& candidates);
    [[nodiscard]] bool is_waiting() const { return candidates_ != nullptr; }

    // What a key does while it waits.
    enum class Answer : bool { Taken, NotMeant };
    // Space and y: the next page; Enter: the next row; n and q: no more. Any other key ends the list, too, and is not
    // meant for it: what is typed or pasted must not be lost in a list that nobody reads.
    Answer press(Key key, char byte);

  private:
    void ask(bool is_first);
    void show_rows(std::size_t count);
    void end();

    TextSink& terminal_;
    Candidates const* candidates_ = nullptr; // null: it does not wait
    std::size_t columns_ = 1;
    std::size_t widest_ = 0;
    std::size_t rows_ = 0;
    std::size_t next_row_ = 0;
};

} // namespace mxk::console
