#include "base/log.hpp"

#include <array>

#include "base/spin_lock.hpp"

namespace mxk::log {
namespace {

constinit SpinLock lock{lock_bands::output.rank(0)};
constinit TextSink* sink = nullptr;
constinit std::array<Line, kept_warnings> kept{};
constinit std::size_t count = 0;

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
    if (count < kept.size()) kept[count] = line;
    ++count;
}

std::span<Line const> warnings() {
    return {kept.data(), std::min(count, kept.size())};
}
std::size_t warning_count() {
    return count;
}

} // namespace mxk::log
