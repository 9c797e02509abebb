#include "base/log.hpp"

#include <array>

#include "base/spin_lock.hpp"

namespace mxk::log {
namespace {

constinit SpinLock lock;
constinit TextSink* sink = nullptr;
constinit std::array<Line, kept_warnings> kept{};
constinit std::size_t count = 0;

} // namespace

void set_sink(TextSink& new_sink) { sink = &new_sink; }

void write_line(std::string_view level, Line& line) {
    LockGuard const guard(lock);
    if (sink == nullptr) return;
    if (!level.empty()) sink->write(level);
    sink->write(line.view());
    sink->write("\n");
}

void keep_warning(Line const& line) {
    LockGuard const guard(lock);
    if (count < kept.size()) kept[count] = line;
    ++count;
}

std::span<Line const> warnings() { return {kept.data(), std::min(count, kept.size())}; }
std::size_t warning_count() { return count; }

} // namespace mxk::log
