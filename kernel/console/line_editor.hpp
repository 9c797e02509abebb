// A line editor for a terminal on a wire, as a state machine: bytes go in one by one, finished lines come out, and what
// the person should see goes to a sink. Keys are those of readline's emacs mode (docs/kernel-console.md lists them).
// Bounded in everything: line, history, candidates. One core at a time; blocks only as the sink does.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "kernel/console/candidate_pager.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/history.hpp"
#include "kernel/console/key_decoder.hpp"
#include "kernel/console/line_buffer.hpp"
#include "kernel/console/line_display.hpp"

namespace mxk::console {

class LineEditor {
  public:
    constexpr LineEditor(TextSink& terminal, std::string_view prompt, Completer& completer)
        : terminal_(terminal)
        , completer_(completer)
        , display_(terminal, prompt)
        , pager_(terminal) {}

    // Shows the prompt and begins an empty line. The terminal's cursor stands in the first column.
    void begin_line();

    // A byte from the terminal. Gives the line when it is finished: it is valid until begin_line(), which comes next.
    std::optional<std::string_view> feed(char byte);

    // Whether nothing has been typed on the line, or nothing of it is left.
    [[nodiscard]] bool is_empty() const { return line_.size() == 0 && !is_searching_; }
    // Whether characters that did not fit are missing in the line, which nobody has edited since: what is there may be
    // a command that nobody meant.
    [[nodiscard]] bool is_cut() const { return is_cut_; }

  private:
    void edit(Key key, char byte);
    void insert(std::string_view text);
    void erase(std::size_t from, std::size_t to);
    void move_to(std::size_t position);
    void recall(bool older);
    void complete(bool again);
    void list_candidates();
    void interrupt();
    bool search(Key key, char byte); // false: the key is not meant for the search, which ends
    bool find(std::size_t first_age);
    void show_search();
    void accept_found();

    TextSink& terminal_;
    Completer& completer_;
    LineDisplay display_;
    KeyDecoder keys_;
    LineBuffer line_;
    LineBuffer draft_; // what was being typed before the first step into the history
    History history_;
    std::size_t recalled_ = 0; // 0: the line being typed; n: history_[n - 1]
    bool is_cut_ = false;
    bool is_searching_ = false;
    FixedText<32> wanted_;               // what the search looks for
    std::optional<std::size_t> found_{}; // the line that has it, as history_[*found_]
    Key last_key_ = Key::None;
    Candidates candidates_;
    CandidatePager pager_;
};

} // namespace mxk::console
