#include "base/log.hpp"

#include <array>
#include <atomic>

#include "base/spin_lock.hpp"

namespace mxk::log {
namespace {

constinit SpinLock lock{lock_bands::output.rank(0)};
constinit TextSink* sink = nullptr;
constinit std::array<Line, kept_warnings> kept{};
constinit std::atomic<std::size_t> count{0}; // changed under the lock, read by all

} // namespace

void set_sink(TextSink& new_sink) {
    sink = &new_sink;
}

void write_line(std::string_view level, Line& line) {
    LockGuard const guard(lock);
    if (sink == nullptr) return;
    // One write, so that lines of other writers on the same sink do not land inside.
    FixedText<256> whole(level);
    whole.append(line.view());
    whole.append("\n");
    sink->write(whole.view());
}

void keep_warning(Line const& line) {
    LockGuard const guard(lock);
    std::size_t const before = count.load(std::memory_order_relaxed);
    if (before < kept.size()) kept[before] = line;
    count.store(before + 1, std::memory_order_release); // pairs with the two below: the line is complete
}

std::span<Line const> warnings() {
    return {kept.data(), std::min(count.load(std::memory_order_acquire), kept.size())};
}
std::size_t warning_count() {
    return count.load(std::memory_order_acquire);
}

} // namespace mxk::log
