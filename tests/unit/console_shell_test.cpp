#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <string>
#include <vector>

#include "arch/linux/signals.hpp"
#include "kernel/console/command_tree.hpp"
#include "kernel/console/console.hpp"
#include "kernel/console/named.hpp"
#include "kernel/console/options.hpp"
#include "kernel/console/words.hpp"
#include "kernel/testing.hpp"

namespace mxk::console {
namespace {

class Output final : public TextSink {
  public:
    void write(std::string_view more) override { text += more; }
    std::string text;
};

// What the commands below were given: one "[word]" per word, " / " behind each command.
std::string received;

Outcome record(Invocation& invocation) {
    for (std::string_view const argument : invocation.arguments) received += "[" + std::string(argument) + "]";
    received += " / ";
    bool const fails = !invocation.arguments.empty() && invocation.arguments.front() == "fail";
    return fails ? invocation.fail(Error("as asked")) : Outcome::Ok;
}

// Reads its arguments itself.
constexpr Command record_command{.name = "unit-record", .summary = "records its arguments", .run = &record};
MXK_REGISTER(mxk_commands, Command, record_command);

struct ProbeOptions {
    std::uint64_t operations = 1000;
};
constexpr auto probe_schema =
    schema<ProbeOptions>(option<&ProbeOptions::operations>("ops", "operations per run", between(1, 1'000'000)));

Outcome run_probe(Invocation& invocation, ProbeOptions const& options) {
    format(invocation.out, "ops={}\n", options.operations);
    return Outcome::Ok;
}
void help_probe(TextSink& out) {
    out.write("Known only at run time.\n");
}
void offer_words(std::span<std::string_view const> before, Candidates& candidates) {
    if (before.empty()) candidates.offer("first-word");
}
constexpr auto probe_command = command<&run_probe, probe_schema>({.name = "unit-probe",
                                                                  .summary = "measures nothing",
                                                                  .parent = "bench",
                                                                  .notes = "Example: none.\n",
                                                                  .more_help = &help_probe,
                                                                  .more_words = &offer_words});
MXK_REGISTER(mxk_commands, Command, probe_command);

// A command of its own as well as one with commands below it, two levels deep.
Outcome run_outer(Invocation& invocation) {
    invocation.out.write("outer\n");
    return Outcome::Ok;
}
Outcome run_inner(Invocation& invocation) {
    invocation.out.write("inner\n");
    return Outcome::Ok;
}
constexpr auto outer_command =
    command<&run_outer>({.name = "unit-outer", .summary = "has one below it", .group = "unit", .nested = "level"});
constexpr Command middle_command{
    .name = "middle", .summary = "has no function", .parent = "unit-outer", .nested = "level"};
constexpr auto inner_command =
    command<&run_inner>({.name = "bench", .summary = "a name that is known elsewhere", .parent = "unit-outer middle"});
MXK_REGISTER(mxk_commands, Command, outer_command);
MXK_REGISTER(mxk_commands, Command, middle_command);
MXK_REGISTER(mxk_commands, Command, inner_command);

MXK_LONG_TEST(unit, describe_me) {}

struct ShellTest : testing::Test {
    Output out;
    Shell shell{out};

    void SetUp() override { received.clear(); }

    std::string said(std::string_view line) {
        out.text.clear();
        shell.execute(line);
        return out.text;
    }
    std::string completed(std::string_view text) {
        Candidates candidates;
        shell.complete(text, candidates);
        std::string result;
        for (Candidate const& candidate : candidates.sorted()) {
            result += std::string(candidate.lead) + std::string(candidate.name) + " ";
        }
        return result;
    }
};

TEST_F(ShellTest, splits_commands_and_words) {
    EXPECT_EQ(shell.execute("unit-record a  b;unit-record;; ;\tunit-record c\td "), Outcome::Ok);
    EXPECT_EQ(received, "[a][b] /  / [c][d] / ");
}

TEST_F(ShellTest, quotes_keep_blanks_semicolons_and_the_other_quote) {
    shell.execute(R"(unit-record 'a ; b' "it's" x"y z"'w' '' ; unit-record ";")");
    EXPECT_EQ(received, "[a ; b][it's][xy zw][] / [;] / ");
}

TEST_F(ShellTest, a_comment_ends_with_its_line_and_so_does_a_command) {
    shell.execute("unit-record a # b; c\nunit-record d\n\n#\nunit-record 'e\nf' #");
    EXPECT_EQ(received, "[a] / [d] / [e\nf] / ");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(completed("unit-r # unit-r"), "");
    EXPECT_EQ(completed("# unit-r;"), "");
    EXPECT_EQ(completed("unit-record '#'; unit-r"), "unit-record ");
}

TEST_F(ShellTest, an_empty_line_is_completed_by_all_commands) {
    EXPECT_NE(completed("").find("unit-record "), std::string::npos);
    EXPECT_EQ(completed(std::string_view()), completed(" "));
    EXPECT_EQ(completed("unit-record;"), completed(""));
}

TEST_F(ShellTest, an_open_quote_is_an_error) {
    EXPECT_EQ(said("unit-record a; unit-record 'b; c"), "error: the quote ' is never closed\n");
    EXPECT_EQ(received, "[a] / ");
    EXPECT_TRUE(shell.failed());
}

TEST_F(ShellTest, too_much_is_an_error) {
    std::string many = "unit-record";
    for (std::size_t i = 0; i < Words::max_words; ++i) many += " x";
    EXPECT_EQ(said(many), "error: a command has up to 64 words\n");
    EXPECT_EQ(said(std::string(4097, 'x')), "error: a command has up to 4096 characters, this one has 4097\n");
    EXPECT_EQ(received, "");
}

TEST_F(ShellTest, commands_go_on_after_a_failed_one_which_is_not_forgotten) {
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(shell.execute("unit-record fail; unit-record next"), Outcome::Failed);
    EXPECT_EQ(out.text, "error: as asked\n");
    EXPECT_EQ(received, "[fail] / [next] / ");
    EXPECT_EQ(shell.execute("unit-record"), Outcome::Ok);
    EXPECT_TRUE(shell.failed());
}

TEST_F(ShellTest, unknown_names_are_answered_with_similar_ones) {
    EXPECT_EQ(said("unit-recrod x"),
              "error: unknown command 'unit-recrod'; did you mean unit-record? ('help' lists all commands)\n");
    EXPECT_EQ(said("zzzzzzzzzz"), "error: unknown command 'zzzzzzzzzz' ('help' lists all commands)\n");
    EXPECT_EQ(said("bench unit-prob"),
              "error: unknown benchmark 'unit-prob'; did you mean unit-probe? ('bench' lists all benchmarks)\n");
}

TEST_F(ShellTest, check_reads_a_command_and_runs_nothing) {
    EXPECT_EQ(said("check bench unit-probe --ops 5; check bench; check exit; check unit-outer"), "");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(said("check"), "error: expected a command, as in 'check bench table --ops 24M'\n");
    EXPECT_TRUE(shell.failed());
    EXPECT_EQ(said("check unit-recrod x"), "error: unknown command 'unit-recrod'; did you mean unit-record?\n");
    EXPECT_EQ(said("check bench unit-prob"),
              "error: unknown benchmark 'unit-prob'; did you mean unit-probe? ('bench' lists all benchmarks)\n");
    EXPECT_EQ(said("check bench unit-probe --ops 0"),
              "error: --ops: expected a count such as 24M (1 to 1000000), got '0'\n");
    EXPECT_EQ(said("check exit now"), "error: unexpected argument 'now': the command takes none\n");
    EXPECT_EQ(said("check unit-record x"), "error: 'unit-record' reads its arguments when it runs\n");
    EXPECT_EQ(received, "");
}

TEST_F(ShellTest, help_lists_what_is_registered_by_group_and_name) {
    std::string const all = said("help");
    EXPECT_TRUE(all.starts_with("Commands:\ndebugging\n  btrace ")) << all;
    EXPECT_LT(all.find("\nmeasuring\n  again "), all.find("\nothers\n  unit-record "));
    EXPECT_LT(all.find("\nothers\n"), all.find("\nsession\n  describe "));
    EXPECT_LT(all.find("\nsession\n"), all.find("\ntests\n"));
    EXPECT_LT(all.find("\ntests\n"), all.find("\nunit\n  unit-outer "));
    for (std::string_view const line :
         {"\n  bench        measure: ", "\n  exit         end the machine", "\n  help         what can be typed",
          "\n  reboot       ", "\n  test         ", "\n  unit-record  records its arguments\n"}) {
        EXPECT_NE(all.find(line), std::string::npos) << line << all;
    }
    EXPECT_EQ(all.find("unit-probe"), std::string::npos) << all; // has a parent
    EXPECT_LT(all.find("  exit "), all.find("  help "));
    EXPECT_LT(all.find("  help "), all.find("  reboot "));
}

TEST_F(ShellTest, help_goes_down_to_one_benchmark) {
    std::string const help = "unit-probe: measures nothing\nusage: bench unit-probe [OPTIONS]\n"
                             "  --ops COUNT  operations per run; 1 to 1M; default 1000\n"
                             "Example: none.\nKnown only at run time.\n";
    EXPECT_EQ(said("help bench unit-probe"), help);
    EXPECT_EQ(said("bench unit-probe --ops nonsense --help"), help);
    EXPECT_NE(said("help bench").find("\n  unit-probe  measures nothing\n"), std::string::npos);
    EXPECT_EQ(said("bench --help"), said("help bench"));
    EXPECT_NE(said("help test").find("  --repeat COUNT"), std::string::npos);
    EXPECT_EQ(said("unit-record x --help"), "unit-record: records its arguments\n");
    EXPECT_EQ(received, "");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(said("help exit now"), "error: 'exit' has no topics; 'help exit' says all there is\n");
    EXPECT_EQ(said("help bench unit-probe x"),
              "error: 'bench unit-probe' has no topics; 'help bench unit-probe' says all there is\n");
    EXPECT_EQ(said("help x b c"), "error: unknown command 'x'\n");
    EXPECT_EQ(said("help bench unit-prob"),
              "error: unknown benchmark 'unit-prob'; did you mean unit-probe? ('bench' lists all benchmarks)\n");
    EXPECT_EQ(said("bench nonsense --help"), "error: unknown benchmark 'nonsense' ('bench' lists all benchmarks)\n");
    EXPECT_EQ(said("help nonsense"), "error: unknown command 'nonsense'\n");
    EXPECT_TRUE(shell.failed());
}

TEST_F(ShellTest, bench_lists_and_dispatches) {
    EXPECT_NE(said("bench").find("  unit-probe  measures nothing\n"), std::string::npos);
    EXPECT_EQ(said("bench unit-probe --ops 2K"), "ops=2000\n");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(said("bench unit-probe --ops 2x"),
              "error: --ops: expected a count such as 24M (1 to 1000000), got '2x'\n");
    EXPECT_TRUE(shell.failed());
}

TEST_F(ShellTest, commands_nest_at_any_depth) {
    EXPECT_EQ(said("unit-outer"), "outer\n");
    EXPECT_EQ(said("unit-outer middle"), "Levels:\n  bench  a name that is known elsewhere\n");
    EXPECT_EQ(said("unit-outer middle bench"), "inner\n");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(said("unit-outer x"), "error: unexpected argument 'x': the command takes none\n");
    EXPECT_EQ(said("unit-outer middle x"), "error: unknown level 'x' ('unit-outer middle' lists all levels)\n");
    EXPECT_EQ(said("middle"), "error: unknown command 'middle' ('help' lists all commands)\n");
    EXPECT_EQ(said("help unit-outer middle bench"),
              "bench: a name that is known elsewhere\nusage: unit-outer middle bench\n");
    EXPECT_EQ(said("unit-outer --help"), "unit-outer: has one below it\nusage: unit-outer\n"
                                         "Levels:\n  middle  has no function\n");
    EXPECT_EQ(completed("unit-outer "), "middle ");
    EXPECT_EQ(completed("help unit-outer middle "), "bench ");
}

TEST_F(ShellTest, describe_shows_whatever_has_the_name) {
    EXPECT_EQ(said("describe bench"), said("help bench") + "\n" + said("help unit-outer middle bench"))
        << "two commands of one name";
    EXPECT_EQ(said("describe unit-outer middle"), said("help unit-outer middle"));
    EXPECT_EQ(said("describe unit.describe_me"),
              "unit.describe_me: a test that is built into the kernel, one that takes "
              "minutes on an emulated machine\nusage: test unit.describe_me --long\n");
    EXPECT_EQ(said("describe unit"), "unit: 1 test\nusage: test unit\n'test --list unit' shows their names.\n");
    EXPECT_FALSE(shell.failed());
    EXPECT_EQ(completed("describe unit-p"), "unit-probe ");
    EXPECT_EQ(completed("describe unit."), "unit.describe_me ");
}

TEST_F(ShellTest, describe_names_what_it_expects) {
    EXPECT_EQ(said("describe"), "error: expected a name, as in 'describe memory'; 'help' lists commands\n");
    EXPECT_EQ(said("describe unit-recrod"), "error: expected the name of a command, a benchmark, a test or a function, "
                                            "got 'unit-recrod'; did you mean unit-record?\n");
    EXPECT_EQ(said("describe unit-recrod x"), said("help unit-recrod x"));
    EXPECT_TRUE(shell.failed());
}

// A command whose parent is missing could not be typed, and of two with one name only one could.
TEST(CommandTree, every_parent_is_registered_and_every_name_is_there_once) {
    for (Command const* const command : registered_commands()) {
        std::string const path = std::string(command->parent) + " " + std::string(command->name);
        Words words;
        ASSERT_TRUE(words.split(path));
        auto const found = find_command(words.all());
        EXPECT_EQ(found.command, command) << path;
        EXPECT_TRUE(found.rest.empty()) << path;
        EXPECT_TRUE(command->run != nullptr || has_nested(*command)) << path;
        EXPECT_EQ(has_nested(*command), !command->nested.empty()) << path;
    }
}

TEST(InvocationTest, ctrl_c_cancels_the_invocation_that_runs_and_no_other) {
    Output out;
    arch::request_interrupt();
    Invocation const first(out);
    EXPECT_FALSE(first.cancelled()); // typed before it began
    EXPECT_TRUE(first.check_cancelled().ok());
    arch::request_interrupt();
    EXPECT_TRUE(first.cancelled());
    EXPECT_TRUE(first.cancelled()); // it stays so
    EXPECT_EQ(first.check_cancelled().error().message(), "interrupted by Ctrl-C");
    Invocation const next(out);
    EXPECT_FALSE(next.cancelled());
}

TEST_F(ShellTest, completion_follows_the_words) {
    EXPECT_EQ(completed("unit-"), "unit-outer unit-record ");
    EXPECT_EQ(completed("unit-record a; unit-r"), "unit-record ");
    EXPECT_EQ(completed("bench unit"), "unit-probe ");
    EXPECT_EQ(completed("bench unit-probe "), "--ops first-word ");
    EXPECT_EQ(completed("bench unit-probe --ops "), "");
    EXPECT_EQ(completed("bench unit-probe --ops 5 "), "");
    EXPECT_EQ(completed("help bench unit"), "unit-probe ");
    EXPECT_EQ(completed("help ex"), "exit ");
    EXPECT_EQ(completed("test --r"), "--repeat ");
    EXPECT_EQ(completed("unit-record x"), "");
    EXPECT_EQ(completed("bench 'unit"), "");
    EXPECT_EQ(completed("bench 'a b' \"uni"), "");
    EXPECT_NE(completed("bench;"), "");
}

TEST_F(ShellTest, completion_has_something_at_every_place) {
    EXPECT_EQ(completed("bench table --layout=bu"), "bucketed ");
    EXPECT_EQ(completed("bench table --layout bu"), "bucketed ");
    EXPECT_EQ(completed("bench table --queue=s"), "shared ");
    EXPECT_EQ(completed("bench table --nothing=s"), "");
    EXPECT_EQ(completed("bench table --json=s"), "") << "a flag has no value";
    EXPECT_EQ(completed("bench table --mix "), "erase find insert loaded: mixed: ");
    EXPECT_EQ(completed("bench table --mix insert,f"), "find ");
    EXPECT_EQ(completed("bench table --mix=insert,"), "erase find insert ");
    EXPECT_EQ(completed("bench table --keys "), "file: random random: sequential strided: ");
    EXPECT_EQ(completed("bench table --dist z"), "zipf: ");
    EXPECT_EQ(completed("bench table --cores n"), "node ");
    EXPECT_EQ(completed("bench figure 4.1"), "4.1 ");
    EXPECT_EQ(completed("bench heap larson --heaps mxk,mx"), completed("bench heap larson --heaps mx"));
    EXPECT_EQ(completed("test unit_s"), "unit_seed unit_skip ") << "groups";
    EXPECT_EQ(completed("test unit.d"), "unit.describe_me ");
}

TEST_F(ShellTest, names_of_files_are_completed) {
    auto const folder = std::filesystem::temp_directory_path() / ("mxk-completion-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (auto const* const name : {"a.trace", "b.trace"}) std::ofstream(folder / name) << "x";
    std::string const in = folder.string() + "/";
    EXPECT_EQ(completed("bench table --trace " + in), in + "a.trace " + in + "b.trace ");
    EXPECT_EQ(completed("bench table --trace=" + in + "b"), in + "b.trace ");
    EXPECT_EQ(completed("bench table --keys file:" + in + "a"), in + "a.trace ");
    EXPECT_EQ(completed("bench table --trace " + in + "none/"), "");
    std::filesystem::remove_all(folder);
}

TEST_F(ShellTest, help_knows_what_stands_below_others) {
    EXPECT_EQ(said("help unit-probe"), said("help bench unit-probe"));
    EXPECT_EQ(said("bench unit-probe -h"), said("help bench unit-probe"));
    EXPECT_EQ(said("unit-outer -h"), said("help unit-outer"));
    EXPECT_EQ(said("help nonsense"), "error: unknown command 'nonsense'\n");
}

TEST_F(ShellTest, halt_ends_the_program_as_exit_does) {
    EXPECT_EXIT(shell.execute("unit-record; halt"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(shell.execute("unit-record fail; halt"), testing::ExitedWithCode(1), "");
}

TEST_F(ShellTest, exit_tells_whether_anything_failed) {
    EXPECT_EXIT(shell.execute("unit-record; exit"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(shell.execute("unit-record fail; unit-record; exit"), testing::ExitedWithCode(1), "");
    EXPECT_EQ(said("exit now"), "error: unexpected argument 'now': the command takes none\n");
    EXPECT_EQ(said("reboot now"), "error: unexpected argument 'now': the command takes none\n");
}

TEST(ConsoleTest, runs_the_run_line_as_if_typed_then_what_is_typed) {
    received.clear();
    Output out;
    Console console(out);
    console.start(" unit-record a ;; unit-record fail;unit-record ';'", Partner::SerialLine);
    EXPECT_EQ(out.text, "mxk> unit-record a\nmxk> unit-record fail\nerror: as asked\nmxk> unit-record ';'\nmxk> ");
    EXPECT_EQ(received, "[a] / [fail] / [;] / ");
    EXPECT_TRUE(console.failed());
    out.text.clear();
    for (char const byte : std::string_view("nope\r")) console.feed(byte);
    EXPECT_EQ(out.text, "nope\nerror: unknown command 'nope' ('help' lists all commands)\nmxk> ");
}

// What a script sees is what the commands say: no prompt, no echo.
TEST(ConsoleTest, shows_a_script_the_output_only) {
    received.clear();
    Output out;
    Console console(out);
    console.start("unit-record a; unit-record fail", Partner::Script);
    EXPECT_EQ(out.text, "error: as asked\n");
    out.text.clear();
    for (char const byte : std::string_view("unit-record b\r\n\n\tnope\nunit-record c")) console.feed(byte);
    EXPECT_EQ(received, "[a] / [fail] / [b] / ");
    EXPECT_EQ(out.text, "error: unknown command 'nope' ('help' lists all commands)\n");
}

TEST(ConsoleTest, refuses_a_line_of_a_script_that_is_too_long_as_a_whole) {
    received.clear();
    Output out;
    Console console(out);
    console.start("", Partner::Script);
    std::string const max_text = "unit-record " + std::string(max_line - 12, 'x');
    for (char const byte : max_text + "y\nunit-record b\n") console.feed(byte);
    EXPECT_EQ(received, "[b] / ");
    EXPECT_EQ(out.text, "error: expected lines of up to 4096 characters; nothing of this one was run\n");
    EXPECT_TRUE(console.failed());
    for (char const byte : max_text + "\n") console.feed(byte);
    EXPECT_EQ(received, "[b] / [" + max_text.substr(12) + "] / ");
}

TEST(ConsoleTest, refuses_a_typed_line_that_is_too_long_as_a_whole) {
    received.clear();
    Output out;
    Console console(out);
    console.start("", Partner::Terminal);
    std::string const max_text = "unit-record " + std::string(max_line - 12, 'x');
    for (char const byte : max_text + "y\runit-record b\r" + max_text + "\r") console.feed(byte);
    EXPECT_EQ(received, "[b] / [" + max_text.substr(12) + "] / ");
    EXPECT_NE(out.text.find("\nerror: expected lines of up to 4096 characters; nothing of this one was run\n"),
              std::string::npos);
    EXPECT_TRUE(console.failed());
}

TEST(ConsoleTest, a_script_may_have_comments) {
    received.clear();
    Output out;
    Console console(out);
    console.start("", Partner::Script);
    std::string_view const script = "# what this is\nunit-record a # not 'this; unit-record b\n  # nor this\n"
                                    "unit-record '# c' d#e;# unit-record f\nunit-record g";
    for (char const byte : script) console.feed(byte);
    EXPECT_EXIT(console.end_of_input(), testing::ExitedWithCode(0), "");
    EXPECT_EQ(received, "[a] / [# c][d#e] / ");
    EXPECT_EQ(out.text, "");
}

TEST(ConsoleTest, the_end_of_the_input_runs_what_is_left_and_exits) {
    auto const end_after = [](std::string_view text, Partner partner) {
        Output out;
        Console console(out);
        console.start("", partner);
        for (char const byte : text) console.feed(byte);
        console.end_of_input();
    };
    EXPECT_EXIT(end_after("", Partner::Script), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(end_after("unit-record a\n", Partner::Script), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(end_after("unit-record a\nunit-record fail", Partner::Script), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(end_after("unit-record fail", Partner::SerialLine), testing::ExitedWithCode(0), ""); // never entered
    EXPECT_EXIT(end_after("unit-record fail\r\x04", Partner::Terminal), testing::ExitedWithCode(1), "");
}

TEST(ConsoleTest, ctrl_d_ends_a_terminal_only_and_only_on_an_empty_line) {
    Output out;
    Console terminal(out);
    terminal.start("", Partner::Terminal);
    for (char const byte : std::string_view("ab\x01\x04")) terminal.feed(byte); // erases the a
    EXPECT_EXIT(for (char const byte
                     : std::string_view("\x04\x04")) terminal.feed(byte),
                testing::ExitedWithCode(0), "");
    Console line(out);
    line.start("", Partner::SerialLine);
    line.feed('\x04');
}

class Silent final : public TextSink {
  public:
    void write(std::string_view) override {}
};
constinit Silent silent;
constinit Console static_console(silent); // the kernel has no start-up code for globals: this must be constant

TEST(ConsoleTest, can_be_a_constant_initialised_global) {
    EXPECT_FALSE(static_console.failed());
}

TEST(Similar, names_that_were_meant) {
    EXPECT_TRUE(similar("tset", "test"));
    EXPECT_TRUE(similar("topolgy", "topology"));
    EXPECT_TRUE(similar("topo", "topology"));
    EXPECT_FALSE(similar("", "topology"));
    EXPECT_FALSE(similar("memory", "topology"));
    EXPECT_FALSE(similar("abc", "xyc"));
    EXPECT_FALSE(similar(std::string(33, 'a'), "a"));
}

} // namespace
} // namespace mxk::console
