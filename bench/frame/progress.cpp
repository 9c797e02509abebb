#include "bench/frame/progress.hpp"

#include "arch/terminal.hpp"
#include "base/format.hpp"

namespace mxk::bench {
namespace {

constexpr Nanoseconds interval{500'000'000};
constexpr std::string_view erase_line = "\r\x1b[K";

} // namespace

Progress::Progress(TextSink& out)
    : out_(out)
    , ticker_(
          interval, [](void* self) { static_cast<Progress*>(self)->tick(); }, this) {
    arch::take_interrupt_request(); // one that was meant for something before
}

void Progress::phase(std::string_view what, std::size_t total, Count count, void const* context) {
    what_ = what;
    total_ = total;
    count_ = count;
    context_ = context;
}

void Progress::phase(std::string_view what, std::size_t total, ProgressCounter const& counter) {
    phase(
        what, total, [](void const* context) { return static_cast<ProgressCounter const*>(context)->done(); },
        &counter);
}

void Progress::expect_runs(std::size_t runs) {
    runs_ = runs;
    run_ = 0;
}

Result<void> Progress::check() const {
    if (interrupted_) return Error("interrupted by Ctrl-C");
    return {};
}

void Progress::clear() {
    if (shown_) out_.write(erase_line);
    shown_ = false;
}

void Progress::tick() {
    if (arch::take_interrupt_request()) interrupted_ = true;
    if (count_ == nullptr || total_ == 0 || !arch::terminal_is_screen()) return;
    FixedText<96> line(erase_line);
    if (runs_ > 1) format(line, "run {} of {}: ", run_, runs_);
    format(line, "{} {} %", what_, count_(context_) * 100 / total_);
    out_.write(line.view());
    shown_ = true;
}

} // namespace mxk::bench
