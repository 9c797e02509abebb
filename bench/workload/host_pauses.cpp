#include "bench/workload/host_pauses.hpp"

#include <utility>

namespace mxk::bench {
namespace {

// `pauses`: one after the other, as a core has them.
bool is_touched(std::span<HostPauses::Pause const> pauses, std::uint64_t due, std::uint64_t end) {
    auto const* const first = std::ranges::upper_bound(pauses, due, {}, &HostPauses::Pause::end).base();
    return first != pauses.data() + pauses.size() && first->start < end;
}

} // namespace

Result<HostPauses> HostPauses::create(NodeId node, Cycles limit, std::size_t room, Reading (*read)()) {
    return HostPauses(MXK_TRY(NodeArray<Slow>::create(room, node)), limit, read);
}

Cycles HostPauses::look() {
    since_look_ = 0;
    auto const is_long = [this](Reading const& reading) { return raw(reading.time) - last_ > limit_; };
    Reading reading = read_();
    // Perhaps it was taken after the count had been read.
    if (reading.interruptions == seen_ && is_long(reading)) reading = read_();
    bool const was_interrupted = reading.interruptions != seen_;
    seen_ = reading.interruptions;
    if (was_interrupted && is_long(reading) && !is_behind_) { // one that it is still behind of goes on
        is_behind_ = true;
        if (pause_count_ < max_pauses) pauses_[pause_count_++] = {last_, 0};
    }
    return reading.time;
}

void HostPauses::catch_up(std::uint64_t now) {
    is_behind_ = false;
    pauses_[pause_count_ - 1].end = now;
}

void HostPauses::note(std::uint64_t end, std::uint32_t latency) {
    if (slow_count_ == slow_.size()) {
        is_slow_full_ = true;
        return;
    }
    slow_[slow_count_++] = {static_cast<std::uint32_t>((end - begin_) / unit), latency};
}

HostDelay HostDelay::of(PerCore<HostPauses> const& cores, Histogram const& all) {
    HostDelay delay;
    bool is_known = true;
    Histogram touched;
    for (HostPauses const& core : cores) {
        is_known = is_known && !core.is_slow_full_;
        delay.pauses += core.pauses().size();
        for (HostPauses::Pause const& pause : core.pauses()) delay.time = delay.time + Cycles{pause.end - pause.start};
    }
    for (HostPauses const& core : cores) {
        for (HostPauses::Slow const& slow : std::span(core.slow_.data(), core.slow_count_)) {
            std::uint64_t const end = core.begin_ + slow.end * HostPauses::unit;
            for (HostPauses const& other : cores) {
                if (!is_touched(other.pauses(), end - slow.latency, end)) continue;
                touched.add(slow.latency);
                break;
            }
        }
    }
    if (delay.pauses == 0 || is_known) {
        delay.rest = all;
        delay.rest->remove(touched);
    }
    return delay;
}

} // namespace mxk::bench
