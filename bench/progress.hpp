// Shows on the console how far a benchmark is, on one line that is overwritten, twice a second; and looks whether the
// person there has typed Ctrl-C. One at a time; the console's core.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/text.hpp"
#include "tasks/ticker.hpp"

namespace mxk::bench {

class Progress {
  public:
    // How many of `total` are done, asked at every tick.
    using Count = std::size_t (*)(void const* context);

    explicit Progress(TextSink& out);
    ~Progress() { clear(); }
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;

    // What goes on now. `what` and `context` must live until the next phase.
    void phase(std::string_view what, std::size_t total, Count count, void const* context);

    // Takes the line away, for other output.
    void clear();

    // Ctrl-C was typed since this began.
    [[nodiscard]] bool interrupted() const { return interrupted_; }

  private:
    void tick();

    TextSink& out_;
    std::string_view what_;
    std::size_t total_ = 0;
    Count count_ = nullptr;
    void const* context_ = nullptr;
    bool shown_ = false;
    bool interrupted_ = false;
    Ticker ticker_;
};

} // namespace mxk::bench
