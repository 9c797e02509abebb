// Runs lines of commands: splits them, finds each command, runs it, and remembers whether any has failed since boot,
// because a run that failed anywhere must not end with success. `NAME ... --help`, or -h, is `help NAME`. One core at a
// time.
#pragma once

#include <string_view>

#include "base/text.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::console {

class Shell final : public Completer {
  public:
    constexpr explicit Shell(TextSink& out)
        : out_(out) {}

    // Every command of the line, also those behind a failed one; Failed if any of them failed. A line without a command
    // is Ok. Blocks as the commands do.
    Outcome execute(std::string_view line);

    // Counts a command that could not even be read as one that failed.
    void refuse(Error const& error);

    // Whether any command has failed since boot.
    [[nodiscard]] bool failed() const { return failed_; }

    // Command names, then what the command itself offers. A word with quotes is not completed.
    void complete(std::string_view text, Candidates& candidates) override;

  private:
    Outcome execute_command(std::string_view text);

    TextSink& out_;
    bool failed_ = false;
};

} // namespace mxk::console
