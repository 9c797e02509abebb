#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/console/line_editor.hpp"
#include "kernel/console/shell.hpp"
#include "tests/fuzz/targets/editor_model.hpp"
#include "tests/fuzz/targets/targets.hpp"
#include "tests/unit/console_terminal.hpp"

namespace mxk::fuzz {
namespace {

using console::Key;

// A list that is longer than the screen.
void offer_many(std::span<std::string_view const> /*before*/, console::Candidates& candidates) {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> made;
        for (int i = 0; i < 70; ++i) made.push_back(std::to_string(100 + i) + "-of-many-names-in-two-columns");
        return made;
    }();
    for (std::string const& name : names) candidates.offer(name);
}
constexpr console::Command many_command{
    .name = "fuzz-many",
    .summary = "completes many names",
    .more_words = &offer_many,
    .run = [](console::Invocation&) { return console::Outcome::Ok; },
};
MXK_REGISTER(mxk_commands, console::Command, many_command);

constexpr std::string_view prompt = "mxk> ";
constexpr std::size_t window = console::LineDisplay::terminal_columns - prompt.size() - 2;

// A person at the keyboard, the editor at the other end of the wire, and the model that says what it should do.
struct Session {
    console::Terminal terminal; // fails by itself if anything wraps or is no sequence of a terminal
    console::Shell shell{terminal};
    console::LineEditor editor{terminal, prompt, shell};
    console::KeyDecoder keys;
    EditorModel model{shell};

    void type(char byte) {
        std::string const before = model.finished();
        Key const key = keys.feed(byte);
        std::size_t const row_before = terminal.rows.size() - 1;
        bool const asked = model.asks();
        auto const line = editor.feed(byte);
        model.press(key, byte);

        ASSERT_EQ(line.has_value(), key == Key::Enter && !asked);
        if (line) {
            ASSERT_EQ(*line, before);
            editor.begin_line();
        }
        expect_shown();
        // The question's row is the first of what is listed instead of it.
        expect_listed(asked ? row_before : row_before + 1);
        ASSERT_EQ(terminal.bells, model.bells());
    }

    // Prompt and line stand in the last row: all of it, or the window around the cursor.
    void expect_shown() const {
        if (model.asks()) {
            ASSERT_TRUE(terminal.row().ends_with(": y, space: a page; Enter: a row; n, q: no more")) << terminal.row();
            return;
        }
        if (model.searches()) {
            std::string shown = "search '" + model.wanted() + "': ";
            ASSERT_EQ((terminal.row() + " ").substr(0, shown.size()), shown);
            ASSERT_LT(terminal.column, console::LineDisplay::terminal_columns);
            if (model.wanted().empty()) return;
            ASSERT_NE(model.finished().find(model.wanted()), std::string::npos);
            shown = terminal.row().substr(std::min(terminal.row().size(), shown.size()));
            ASSERT_NE(model.finished().find(shown), std::string::npos);
            return;
        }
        std::string const& line = model.line();
        ASSERT_GE(terminal.column, prompt.size());
        std::size_t const seen_before_cursor = terminal.column - prompt.size();
        ASSERT_LE(seen_before_cursor, std::min(model.cursor(), window));
        std::size_t const first = model.cursor() - seen_before_cursor;
        ASSERT_TRUE(first == 0 || line.size() > window) << "a line that fits is seen whole";
        std::string shown = std::string(prompt) + line.substr(first, window);
        shown.erase(shown.find_last_not_of(' ') + 1);
        ASSERT_EQ(terminal.row(), shown);
    }

    // The rows from this one to the one that is edited, or asks.
    void expect_listed(std::size_t first_row) const {
        if (model.listed().empty()) return;
        std::vector<std::string> words;
        for (std::size_t row = first_row; row + 1 < terminal.rows.size(); ++row) {
            std::istringstream in(terminal.rows[row]);
            for (std::string word; in >> word;) words.push_back(word);
        }
        ASSERT_EQ(words, model.listed());
    }
};

} // namespace

void editor(InputBytes bytes) {
    Session session;
    session.editor.begin_line();
    for (std::byte const byte : bytes) {
        session.type(static_cast<char>(byte));
        if (testing::Test::HasFatalFailure()) return;
    }
}

} // namespace mxk::fuzz
