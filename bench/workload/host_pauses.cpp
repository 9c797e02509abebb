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

void HostPauses::begin(Cycles now) {
    begin_ = last_ = raw(now);
    Reading const reading = read_();
    seen_ = reading.account;
    // What was before is not known, but asking does not take so long.
    if (raw(reading.time) - begin_ > limit_) pause_begins();
}

Cycles HostPauses::look() {
    since_look_ = 0;
    auto const length = [this](Reading const& reading) { return Cycles{raw(reading.time) - last_}; };
    auto const is_taken = [&](Reading const& reading) {
        return arch::was_taken_away(seen_, reading.account, length(reading));
    };
    Reading reading = read_();
    // Perhaps it was taken after that had been read.
    if (raw(length(reading)) > limit_ && !is_taken(reading)) reading = read_();
    if (raw(length(reading)) > limit_ && is_taken(reading)) pause_begins();
    seen_ = reading.account;
    return reading.time;
}

// With the last turn. One that the core is still behind of goes on.
void HostPauses::pause_begins() {
    if (is_behind_) return;
    is_behind_ = true;
    if (pause_count_ < max_pauses) pauses_[pause_count_++] = {last_, 0};
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
