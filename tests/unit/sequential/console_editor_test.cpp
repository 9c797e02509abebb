#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "kernel/console/line_editor.hpp"
#include "tests/unit/console_terminal.hpp"

namespace mxk::console {
namespace {

class Words3 final : public Completer {
  public:
    void complete(std::string_view text, Candidates& candidates) override {
        candidates.start(text.substr(text.find_last_of(' ') + 1));
        for (std::string_view const name : {"topology", "test", "texture", "bench"}) candidates.offer(name);
        candidates.offer("cores", "--");
    }
};

struct Editing : testing::Test {
    Terminal terminal;
    Words3 words;
    LineEditor editor{terminal, "mxk> ", words};
    std::vector<std::string> lines;

    void SetUp() override { editor.begin_line(); }

    void type(std::string_view bytes) {
        for (char const byte : bytes) {
            auto const line = editor.feed(byte);
            if (!line) continue;
            lines.emplace_back(*line);
            editor.begin_line();
        }
    }
    // What stands in the line after these bytes, and nothing is left of it for the next call.
    std::string edited(std::string_view bytes) {
        lines.clear();
        type(bytes);
        EXPECT_TRUE(lines.empty());
        type("\r");
        return lines.empty() ? "(none)" : lines.front();
    }
};

TEST_F(Editing, carriage_return_line_feed_and_both_end_a_line_once) {
    type("a\rb\nc\r\nd\n\re\r\n\nf\r");
    EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c", "d", "", "e", "", "f"}));
}

TEST_F(Editing, moves_and_inserts_anywhere) {
    EXPECT_EQ(edited("ac\x1b[Db"), "abc");
    EXPECT_EQ(edited("ac\x1bODb"), "abc");
    EXPECT_EQ(edited("ac\x02"
                     "b\x06"
                     "d"),
              "abcd");
    EXPECT_EQ(edited("bc\x1b[Ha\x1b[Fd"), "abcd");
    EXPECT_EQ(edited("bc\x1b[1~a\x1b[4~d"), "abcd");
    EXPECT_EQ(edited("bc\x01"
                     "a\x05"
                     "d"),
              "abcd");
    EXPECT_EQ(edited("bc\x1bOHa\x1bOFd"), "abcd");
    EXPECT_EQ(edited("one two  three\x1b[1;5D\x1b[1;5DX\x1b[1;5CY"), "one Xtwo"
                                                                     "Y  three");
    EXPECT_EQ(edited("\x1b[D\x1b[Ca\x1b[Cb\x1b[1;5D\x1b[1;5D"), "ab");
}

TEST_F(Editing, erases) {
    EXPECT_EQ(edited("abc\x7f\x08"), "a");
    EXPECT_EQ(edited("\x7f"
                     "abc\x1b[D\x1b[3~"),
              "ab");
    EXPECT_EQ(edited("\x04"
                     "abc\x01\x04"),
              "bc");
    EXPECT_EQ(edited("abc\x02\x15"), "c");
    EXPECT_EQ(edited("abc\x02\x0b"), "ab");
    EXPECT_EQ(edited("one two  \x17x"), "one x");
}

TEST_F(Editing, shows_what_it_holds) {
    type("bnch table\x01\x1b[Ce");
    EXPECT_EQ(terminal.row(), "mxk> bench table");
    EXPECT_EQ(terminal.column, 7U);
    type("\x0b");
    EXPECT_EQ(terminal.row(), "mxk> be");
    terminal.bytes_written = 0;
    type("n");
    EXPECT_EQ(terminal.bytes_written, 1U) << "a character at the end is its own echo";
    type("\x02\x02");
    EXPECT_EQ(terminal.bytes_written, 3U);
}

TEST_F(Editing, interrupt_drops_the_line) {
    EXPECT_EQ(edited("lost\x03kept"), "kept");
    EXPECT_EQ(terminal.row_above(2), "mxk> lost^C");
    EXPECT_EQ(edited("\x1b[A"), "kept") << "the dropped line is not in the history";
}

TEST_F(Editing, redraw_clears_the_screen) {
    type("a\rbc\x02\x0c");
    ASSERT_EQ(terminal.rows.size(), 1U);
    EXPECT_EQ(terminal.row(), "mxk> bc");
    EXPECT_EQ(terminal.column, 6U);
}

TEST_F(Editing, unknown_sequences_are_swallowed_whole) {
    EXPECT_EQ(edited("a\x1b[5~b\x1b[1;2Cc\x1b[200~d\x1b[[Ae\x1bOPf"), "abcdef");
    EXPECT_EQ(edited("a\x1b(Bb\x1b[?25hc\x1b[1;22;333;4444md"), "abcd");
    EXPECT_EQ(edited("a\x1b]0;title \xc3\xa4\ab\x1bPx;y\x1b\\c\x1b\x1b[Dd"), "abdc");
    EXPECT_EQ(terminal.bells, 0U);
    EXPECT_EQ(edited("a\x1b]never ends"), "a") << "Enter ends it";
}

TEST_F(Editing, bytes_beyond_ascii_ring_the_bell) {
    EXPECT_EQ(edited("a\xc3\xa4z\x1f"), "az");
    EXPECT_EQ(terminal.bells, 3U);
}

TEST_F(Editing, the_line_is_bounded) {
    std::string const full(max_line, 'x');
    EXPECT_EQ(edited(full + "yy"), full);
    EXPECT_EQ(terminal.bells, 2U);
}

TEST_F(Editing, a_line_of_which_something_did_not_fit_says_so_until_it_is_edited) {
    std::string const full(max_line, 'x');
    auto const is_cut_at_its_end = [&](std::string_view bytes) {
        type(bytes);
        bool const is_cut = editor.is_cut();
        type("\r");
        return is_cut;
    };
    EXPECT_FALSE(is_cut_at_its_end(full));
    EXPECT_TRUE(is_cut_at_its_end(full + "y"));
    EXPECT_FALSE(is_cut_at_its_end("x")) << "the next line";
    EXPECT_TRUE(is_cut_at_its_end(full + "y\x02\x06")) << "it was only looked at";
    EXPECT_FALSE(is_cut_at_its_end(full + "y\x7f"));
    EXPECT_FALSE(is_cut_at_its_end(full + "y\x1b[A\x1b[B"));
    EXPECT_FALSE(is_cut_at_its_end(full + "y\x03"));
}

struct Searching : Editing {
    void SetUp() override {
        Editing::SetUp();
        type("bench table --ops 1M\rtopology\rbench task\r");
        terminal.bells = 0;
    }
};

TEST_F(Searching, shows_the_newest_line_that_has_it_and_older_ones) {
    type("x\x12");
    EXPECT_EQ(terminal.row(), "search '':");
    type("ben");
    EXPECT_EQ(terminal.row(), "search 'ben': bench task");
    type("\x12");
    EXPECT_EQ(terminal.row(), "search 'ben': bench table --ops 1M");
    type("\x12");
    EXPECT_EQ(terminal.bells, 1U) << "there is no older one";
    EXPECT_EQ(terminal.row(), "search 'ben': bench table --ops 1M");
    type("\r");
    EXPECT_EQ(lines.back(), "bench table --ops 1M");
    EXPECT_EQ(terminal.row(), "mxk>");
}

TEST_F(Searching, narrows_with_each_character_and_takes_them_back) {
    type("\x12ta");
    EXPECT_EQ(terminal.row(), "search 'ta': bench task");
    type("b");
    EXPECT_EQ(terminal.row(), "search 'tab': bench table --ops 1M");
    type("q");
    EXPECT_EQ(terminal.bells, 1U) << "no line has it";
    EXPECT_EQ(terminal.row(), "search 'tab': bench table --ops 1M");
    type("\x7f");
    EXPECT_EQ(terminal.row(), "search 'ta': bench task");
    type("\x7f\x7f\x7f");
    EXPECT_EQ(terminal.row(), "search '':");
}

TEST_F(Searching, any_other_key_takes_the_line_and_is_obeyed) {
    EXPECT_EQ(edited("\x12top\x1b[Hx"), "xtopology");
    EXPECT_EQ(edited("\x12"
                     "bench table\x1b[B"),
              "topology")
        << "the history goes on from there";
    EXPECT_EQ(edited("draft\x12top\x1b[B\x1b[B\x1b[B\x1b[B"), "draft");
}

TEST_F(Searching, ctrl_g_goes_back_to_what_was_typed_and_ctrl_c_drops_it) {
    EXPECT_EQ(edited("draft\x12top\x07!"), "draft!");
    EXPECT_EQ(edited("draft\x12top\x03!"), "!");
    EXPECT_EQ(edited("draft\x12zzz"), "draft") << "what no line has is not taken";
}

TEST_F(Searching, a_long_line_is_shown_around_what_was_found) {
    type(std::string(300, 'a') + "needle" + std::string(300, 'b') + "\r\x12needle");
    EXPECT_LE(terminal.row().size(), 79U);
    EXPECT_NE(terminal.row().find("needle': a"), std::string::npos);
    EXPECT_NE(terminal.row().find("aneedleb"), std::string::npos);
    type("\x07" + std::string(40, 'x') + "\x12" + std::string(40, 'b'));
    EXPECT_EQ(terminal.row().substr(0, 43), "search '" + std::string(32, 'b') + "': ") << "it looks for up to 32";
}

TEST_F(Editing, a_line_wider_than_the_terminal_is_seen_through_a_window) {
    std::string line;
    for (int i = 0; i < 100; ++i) line += static_cast<char>('a' + i % 26);
    type(line);
    EXPECT_EQ(terminal.row().substr(0, 5), "mxk> ");
    EXPECT_TRUE(line.ends_with(terminal.row().substr(5))) << terminal.row();
    type("\x01");
    EXPECT_EQ(terminal.row().substr(5), line.substr(0, 73));
    EXPECT_EQ(terminal.column, 5U);
}

TEST_F(Editing, history) {
    type("first\rsecond\rsecond\r\r");
    EXPECT_EQ(edited("draft\x1b[A\x1b[A\x1b[B\x1b[B!"), "draft!");
    EXPECT_EQ(edited("\x10\x10\x10"), "first") << "draft!, second, first: repeated and empty lines are not kept";
    EXPECT_EQ(edited("\x1b[A edited\x1b[A\x1b[B"), "first") << "changes to an old line are dropped on leaving it";
    type("\x0e");
    EXPECT_EQ(terminal.bells, 1U);
}

TEST_F(Editing, history_is_a_ring) {
    for (int i = 0; i < 40; ++i) type(std::to_string(i) + "\r");
    std::string up;
    for (int i = 0; i < 50; ++i) up += "\x1b[A";
    EXPECT_EQ(edited(up), "8");
    EXPECT_EQ(terminal.bells, 50U - 32U);
}

TEST(HistoryTest, of_long_lines_it_keeps_as_many_as_there_is_room_for) {
    History history;
    history.add("first");
    for (char c = 'a'; c < 'd'; ++c) history.add(std::string(max_line, c));
    ASSERT_EQ(history.size(), 4U);
    EXPECT_EQ(history[3], "first");
    history.add(std::string(max_line - 5, 'd'));
    ASSERT_EQ(history.size(), 5U) << "to the last character";
    history.add("x");
    ASSERT_EQ(history.size(), 5U);
    EXPECT_EQ(history[0], "x");
    EXPECT_EQ(history[1], std::string(max_line - 5, 'd'));
    EXPECT_EQ(history[4], std::string(max_line, 'a'));
}

TEST_F(Editing, completion) {
    EXPECT_EQ(edited("be\t"), "bench ");
    EXPECT_EQ(edited("help to\tx"), "help topology x");
    EXPECT_EQ(edited("t x\x1b[D\x1b[D"
                     "e\ts\t"),
              "test  x");
    EXPECT_EQ(edited("bench --\t4"), "bench --cores 4");
    terminal.bells = 0;
    EXPECT_EQ(edited("nothing\t"), "nothing");
    EXPECT_EQ(edited("t\t"), "t");
    EXPECT_EQ(terminal.bells, 2U);
}

TEST_F(Editing, second_tab_lists_and_draws_the_line_again) {
    type("te\t\t");
    EXPECT_EQ(terminal.row_above(1), "test     texture");
    EXPECT_EQ(terminal.row(), "mxk> te");
    EXPECT_EQ(terminal.column, 7U);
}

// 60 names, each wide enough for two in a row: 30 rows.
class ManyWords final : public Completer {
  public:
    ManyWords() {
        for (int i = 100; i < 160; ++i) names_.push_back("name-" + std::to_string(i) + std::string(25, 'x'));
    }
    void complete(std::string_view text, Candidates& candidates) override {
        candidates.start(text.substr(text.find_last_of(' ') + 1));
        for (std::string const& name : names_) candidates.offer(name);
    }

  private:
    std::vector<std::string> names_;
};

struct Paging : testing::Test {
    Terminal terminal;
    ManyWords many;
    LineEditor editor{terminal, "mxk> ", many};
    std::vector<std::string> lines;

    void SetUp() override {
        editor.begin_line();
        type("name-1\t\t");
    }
    void type(std::string_view bytes) {
        for (char const byte : bytes) {
            auto const line = editor.feed(byte);
            if (!line) continue;
            lines.emplace_back(*line);
            editor.begin_line();
        }
    }
    // The first name of each row that has been shown, as a number.
    [[nodiscard]] std::vector<int> shown() const {
        std::vector<int> first;
        for (std::string const& row : terminal.rows)
            if (row.starts_with("name-")) first.push_back(std::stoi(row.substr(5, 3)));
        return first;
    }
};

TEST_F(Paging, a_list_longer_than_the_screen_is_asked_for) {
    EXPECT_EQ(terminal.row(), "60 possibilities: y, space: a page; Enter: a row; n, q: no more");
    EXPECT_TRUE(shown().empty());
    type("n");
    EXPECT_EQ(terminal.row(), "mxk> name-1");
    EXPECT_TRUE(shown().empty());
    type("\r");
    EXPECT_EQ(lines, std::vector<std::string>{"name-1"});
}

TEST_F(Paging, pages_and_rows_until_the_end) {
    type("y");
    EXPECT_EQ(shown().size(), CandidatePager::page_rows);
    EXPECT_EQ(terminal.row(), "23 of 30 rows: y, space: a page; Enter: a row; n, q: no more");
    type("\r");
    EXPECT_EQ(terminal.row().substr(0, 13), "24 of 30 rows");
    type(" ");
    std::vector<int> expected;
    for (int i = 100; i < 160; i += 2) expected.push_back(i);
    EXPECT_EQ(shown(), expected) << "each row once, and nothing between them";
    EXPECT_EQ(terminal.row(), "mxk> name-1");
    EXPECT_TRUE(lines.empty());
}

TEST_F(Paging, q_ends_it_in_the_middle) {
    type("\r\r\rq");
    EXPECT_EQ(shown(), (std::vector<int>{100, 102, 104}));
    EXPECT_EQ(terminal.row(), "mxk> name-1");
}

TEST_F(Paging, any_other_key_ends_it_and_is_obeyed) {
    type("50x\r");
    EXPECT_EQ(lines, std::vector<std::string>{"name-150x"});
    type("name-1\t\t\x1b[D0\r");
    EXPECT_EQ(lines.back(), "name-01") << "a key of several bytes, too";
    type("name-1\t\t\x03next\r");
    EXPECT_EQ(lines.back(), "next");
    type("name-1\t\t\t");
    EXPECT_EQ(terminal.row().substr(0, 16), "60 possibilities") << "Tab asks again";
}

TEST(CandidatesTest, of_more_than_there_is_room_for_the_first_in_the_alphabet_are_kept) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < Candidates::capacity + 10; ++i) names.push_back("n" + std::to_string(9999 - i));
    Candidates candidates;
    candidates.start("n");
    for (std::string const& name : names) candidates.offer(name);
    EXPECT_TRUE(candidates.has_more());
    ASSERT_EQ(candidates.sorted().size(), Candidates::capacity);
    EXPECT_EQ(candidates.sorted().front().name, names.back());
    EXPECT_EQ(candidates.sorted().back().name, names[10]);
    candidates.start("n");
    candidates.offer(names[0]);
    EXPECT_FALSE(candidates.has_more());
}

// Every byte keeps the invariants: the terminal shows prompt and text, nothing wraps, the line stays bounded.
TEST(EditorFuzz, random_bytes_never_corrupt_line_or_terminal) {
    for (unsigned const seed : {1U, 2U, 3U, 4U}) {
        std::mt19937 random(seed);
        Terminal terminal;
        Words3 words;
        LineEditor editor(terminal, "mxk> ", words);
        editor.begin_line();
        static constexpr std::string_view frequent[] = {"\x1b[D", "\x1b[C", "\x1b[A",    "\x1b[B",
                                                        "\x1b[H", "\x1b[F", "\x1b[3~",   "\t",
                                                        "te",     "\x7f",   "\x1b[1;5D", "\x1b[1;5C"};
        std::size_t fed = 0;
        while (fed < 250'000 && !::testing::Test::HasFatalFailure()) {
            std::string bytes(1, static_cast<char>(random() % 256));
            if (random() % 3 == 0) bytes = frequent[random() % std::size(frequent)];
            if (random() % 3 == 0) bytes = static_cast<char>(' ' + random() % 95);
            if (bytes == "\r" && random() % 16 != 0) continue; // so that lines grow long
            for (char const byte : bytes) {
                ++fed;
                auto const line = editor.feed(byte);
                if (line) {
                    ASSERT_LE(line->size(), LineBuffer::capacity);
                    for (char const c : *line) ASSERT_TRUE(c >= ' ' && c < 0x7f);
                    editor.begin_line();
                }
                std::string const& row = terminal.rows.back();
                ASSERT_TRUE(row.starts_with("mxk> ") || row.starts_with("search '"))
                    << "seed " << seed << " byte " << fed;
                ASSERT_GE(terminal.column, 5U);
                if (terminal.rows.size() > 100) terminal.rows.erase(terminal.rows.begin(), terminal.rows.end() - 2);
            }
        }
    }
}

// The same edits on a plain string say what must be seen, for lines that fit the terminal and for those that do not.
TEST(EditorFuzz, the_terminal_shows_what_a_plain_model_holds) {
    std::mt19937 random(7);
    Terminal terminal;
    Words3 words;
    LineEditor editor(terminal, "mxk> ", words);
    editor.begin_line();
    std::string model;
    std::size_t cursor = 0;
    auto const type = [&](std::string_view bytes) {
        for (char const byte : bytes) ASSERT_FALSE(editor.feed(byte));
    };
    for (int step = 0; step < 200'000; ++step) {
        switch (random() % 8) {
        case 0:
            type("\x02");
            cursor -= cursor > 0 ? 1 : 0;
            break;
        case 1:
            type("\x06");
            cursor = std::min(cursor + 1, model.size());
            break;
        case 2:
            type("\x7f");
            if (cursor > 0) model.erase(--cursor, 1);
            break;
        case 3:
            type("\x1b[3~");
            if (cursor < model.size()) model.erase(cursor, 1);
            break;
        case 4:
            if (random() % 20 != 0) break;
            type("\x01");
            cursor = 0;
            break;
        default: {
            char const c = static_cast<char>('!' + random() % 90);
            type({&c, 1});
            if (model.size() < max_line) model.insert(cursor++, 1, c);
        }
        }
        if (random() % 1000 == 0) {
            type("\x15");
            model.erase(0, cursor);
            cursor = 0;
        }
        std::string const shown = terminal.row().substr(5);
        std::size_t const left = cursor - (terminal.column - 5); // where the window must begin
        ASSERT_LE(left, model.size()) << "step " << step;
        ASSERT_EQ(shown, model.substr(left, 73)) << "step " << step;
        ASSERT_TRUE(model.size() > 73 || left == 0);
    }
}

} // namespace
} // namespace mxk::console
