// What the line editor promises, said once more in the plainest way: a string, a cursor, a list of old lines. Keys go
// in, decoded already; the editor must hold the same line and its terminal must show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernel/console/completion.hpp"
#include "kernel/console/key_decoder.hpp"

namespace mxk::fuzz {

class EditorModel {
  public:
    explicit EditorModel(console::Completer& completer)
        : completer_(completer) {}

    // `byte` is what Key::Character stands for.
    void press(console::Key key, char byte);

    [[nodiscard]] std::string const& line() const { return line_; }
    [[nodiscard]] std::size_t cursor() const { return cursor_; }
    // How often it has rung so far.
    [[nodiscard]] std::size_t bells() const { return bells_; }
    // What the last key listed below the line; mostly nothing.
    [[nodiscard]] std::vector<std::string> const& listed() const { return listed_; }

    // What Enter would finish: the line, or what the search has found.
    [[nodiscard]] std::string const& finished() const { return found_ ? history_[*found_] : line_; }
    [[nodiscard]] bool searches() const { return is_searching_; }
    // What the search shows in the line's place, however long.
    [[nodiscard]] std::string const& wanted() const { return wanted_; }

    // Whether it asks what to show of a list that is longer than the screen.
    [[nodiscard]] bool asks() const { return !unlisted_.empty(); }

  private:
    bool answer(console::Key key, char byte);
    bool search(console::Key key, char byte);
    bool find(std::string const& wanted, std::size_t from);
    void list(std::size_t rows);
    bool insert(std::string const& text); // false, and a bell, where it does not fit
    void erase(std::size_t from, std::size_t to);
    void recall(std::size_t age);
    void complete(bool again);
    void begin_line();
    void enter();
    [[nodiscard]] std::size_t word_begin() const;
    [[nodiscard]] std::size_t word_end() const;

    console::Completer& completer_;
    std::string line_;
    std::size_t cursor_ = 0;
    std::vector<std::string> history_; // newest first
    std::size_t age_ = 0;              // 0: the line being typed; n: history_[n - 1]
    std::string draft_;
    bool is_searching_ = false;
    std::string wanted_;
    std::optional<std::size_t> found_; // in history_
    console::Key last_key_ = console::Key::None;
    std::size_t bells_ = 0;
    std::vector<std::string> listed_;
    std::vector<std::string> unlisted_; // of the list that it asks for
    std::size_t per_row_ = 1;
};

} // namespace mxk::fuzz
