#include "kernel/console/console.hpp"

#include "base/format.hpp"
#include "kernel/console/words.hpp"

namespace mxk::console {
namespace {

Error too_long() {
    return Error::of("expected lines of up to {} characters; nothing of this one was run", max_line);
}

} // namespace

void Console::start(std::string_view run_line, Partner partner) {
    partner_ = partner;
    while (!run_line.empty()) {
        std::string_view const command = trimmed(take_command(run_line));
        if (command.empty()) continue;
        if (partner != Partner::Script) format(out_, "{}{}\n", prompt, command);
        shell_.execute(command);
    }
    if (partner != Partner::Script) editor_.begin_line();
}

void Console::feed(char byte) {
    if (partner_ == Partner::Script) return feed_plain(byte);
    if (byte == ctrl_d && partner_ == Partner::Terminal && editor_.is_empty()) {
        out_.write("\n");
        return end_of_input();
    }
    auto const line = editor_.feed(byte);
    if (!line) return;
    if (editor_.is_cut())
        shell_.refuse(too_long());
    else
        shell_.execute(*line);
    editor_.begin_line();
}

void Console::feed_plain(char byte) {
    if (reader_.feed(byte)) execute_plain_line();
}

void Console::execute_plain_line() {
    if (auto const line = reader_.line()) {
        shell_.execute(*line);
    } else {
        shell_.refuse(too_long());
    }
}

void Console::end_of_input() {
    if (partner_ == Partner::Script && !reader_.at_line_start()) execute_plain_line();
    shell_.execute("exit");
}

} // namespace mxk::console
