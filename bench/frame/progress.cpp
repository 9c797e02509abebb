#include "bench/frame/progress.hpp"

#include "arch/terminal.hpp"
#include "base/format.hpp"

namespace mxk::bench {
namespace {

constexpr Nanoseconds interval{500'000'000};
constexpr std::string_view erase_line = "\r\x1b[K";

} // namespace

Progress::Progress(console::Invocation const& invocation)
    : invocation_(invocation)
    , ticker_(
          interval, [](void* self) { static_cast<Progress*>(self)->tick(); }, this) {}

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

void Progress::clear() {
    if (shown_) invocation_.out.write(erase_line);
    shown_ = false;
}

void Progress::tick() {
    if (invocation_.cancelled()) {
        interrupted_.store(true, std::memory_order_relaxed);
        if (stop_flag_ != nullptr) stop_flag_->store(true, std::memory_order_relaxed);
    }
    if (count_ == nullptr || total_ == 0 || !arch::terminal_is_screen()) return;
    FixedText<96> line(erase_line);
    if (runs_ > 1) format(line, "run {} of {}: ", run_, runs_);
    format(line, "{} {} %", what_, count_(context_) * 100 / total_);
    invocation_.out.write(line.view());
    shown_ = true;
}

} // namespace mxk::bench
