#include "kernel/uptime.hpp"

#include "arch/cpu.hpp"
#include "base/format.hpp"
#include "kernel/clock.hpp"

namespace mxk {
namespace {

constinit Cycles started_at{}; // written before other cores run

} // namespace

void clock::note_start() {
    started_at = timestamp();
}

Nanoseconds clock::uptime() {
    return to_nanoseconds(timestamp() - started_at);
}

void clock::print_duration(TextSink& out, Nanoseconds time) {
    if (!arch::timestamp_frequency_is_known()) return out.write("a time that is not known");
    constexpr std::uint64_t day = 86400;
    std::uint64_t const milliseconds = raw(time) / 1'000'000;
    std::uint64_t const seconds = milliseconds / 1000;
    if (seconds >= day) format(out, "{} d ", seconds / day);
    format(out, "{}:{:02}:{:02}.{:03}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, milliseconds % 1000);
}

} // namespace mxk
