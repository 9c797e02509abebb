// One run of a command: what it was given, where its output goes, and whether the person at the console wants it to
// end. Ctrl-C cancels the invocation that runs; it says nothing about the ones before and after it. A command that may
// take seconds asks cancelled() now and then, and ends early. One invocation exists at a time.
#pragma once

#include <atomic>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/outcome.hpp"

namespace mxk::console {

class Invocation {
  public:
    // A Ctrl-C that was typed before this does not count. `output` outlives the invocation.
    explicit Invocation(TextSink& output, bool any_failed_before = false);
    Invocation(Invocation const&) = delete;
    Invocation& operator=(Invocation const&) = delete;

    std::span<std::string_view const> arguments; // without the command's name; valid while it runs
    TextSink& out;
    bool failed_before = false; // whether any command has failed since boot

    // Says what is wrong, in one line: `return invocation.fail(...)` is how a command ends that cannot do its work.
    Outcome fail(Error const& error) const;

    // Whether Ctrl-C was typed since this began; it stays true. Any core; a load or two.
    [[nodiscard]] bool cancelled() const;
    // The same as an error, for functions that return a Result.
    [[nodiscard]] Result<void> check_cancelled() const;

  private:
    mutable std::atomic<bool> cancelled_{false}; // relaxed throughout: a flag alone, nothing hangs on its order
};

} // namespace mxk::console
