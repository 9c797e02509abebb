#include "kernel/sync/rcu/grace_periods.hpp"

#include <utility>

#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/fence.hpp"
#include "base/inject.hpp"
#include "base/log.hpp"
#include "kernel/clock.hpp"

namespace mxk::rcu {

std::uint64_t GracePeriods::next() const {
    store_load_fence(); // what the caller has unlinked is unlinked before it looks; pairs with begin()
    return begun() + 1;
}

void GracePeriods::ask_for(std::uint64_t number, Urgency urgency) {
    if (urgency == Urgency::Expedited) {
        std::uint64_t before = hurried_.load(std::memory_order_relaxed);
        while (before < number && !hurried_.compare_exchange_weak(before, number)) {
        }
    }
    std::uint64_t before = wanted_.load(std::memory_order_relaxed);
    // seq_cst: either who ends the one under way sees it, or try_to_begin() finds that nobody is busy any more.
    while (before < number && !wanted_.compare_exchange_weak(before, number)) {
    }
    try_to_begin();
    // seq_cst: either it finds the one begun, or begin() finds that somebody is in a hurry.
    std::uint64_t const now = begun_.load(std::memory_order_seq_cst);
    if (urgency == Urgency::Expedited && now <= number && done() < now) hurry(now);
}

void GracePeriods::try_to_begin() {
    while (wanted_.load() > begun()) {
        if (busy_.exchange(true)) return;                                                 // who is busy looks again
        if (wanted_.load(std::memory_order_relaxed) > begun()) return begin(begun() + 1); // else it looks again
        busy_.store(false);
    }
}

void GracePeriods::begin(std::uint64_t number) {
    missing_.store(cores_.size() + 1, std::memory_order_relaxed);
    begun_at_.store(clock::timestamp(), std::memory_order_relaxed);
    inject::point();
    begun_.store(number, std::memory_order_release); // pairs with begun(): who counts down finds how many are missing
    // A core that is found away here, and comes back, finds unlinked what was unlinked before; pairs with after_halt().
    // And pairs with next() and ask_for().
    store_load_fence();
    for (Core& core : cores_) {
        inject::point();
        if (is_away(core)) {
            core.statistics_.away.add(1); // one begins at a time
            count_for(core, number);
            continue;
        }
        tell(core);
    }
    if (hurried_.load(std::memory_order_relaxed) >= number) hurry(number);
    count_down();
}

// A slice that is interrupted for it goes on afterwards.
void GracePeriods::hurry(std::uint64_t number) {
    for (Core& core : cores_)
        if (core.seen_.load(std::memory_order_relaxed) < number) {
            statistics_.interrupts.fetch_add(1, std::memory_order_relaxed);
            arch::interrupt_thread(core.id_);
        }
}

bool GracePeriods::is_away(Core const& core) const {
    // acquire: what the core has protected before it halted, it has done.
    return core.presence_.load(std::memory_order_acquire) == Core::Presence::Away && arch::halts_quietly(core.id_) &&
           !arch::threads_live_on(core.id_);
}

// Once for each core: by itself, or by who finds it away.
void GracePeriods::count_for(Core& core, std::uint64_t number) {
    std::uint64_t before = core.seen_.load(std::memory_order_relaxed);
    while (before < number)
        if (core.seen_.compare_exchange_weak(before, number, std::memory_order_relaxed)) return count_down();
}

// acq_rel: all that was protected on the cores that have counted before, is done before the end.
void GracePeriods::count_down() {
    inject::point();
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
}

void GracePeriods::end() {
    std::uint64_t const number = begun_.load(std::memory_order_relaxed);
    auto const took = raw(clock::timestamp() - begun_at_.load(std::memory_order_relaxed));
    statistics_.completed.add(1);
    if (hurried_.load(std::memory_order_relaxed) >= number) statistics_.hurried.add(1);
    statistics_.cycles.add(took);
    statistics_.max_cycles.raise_to(took);
    inject::point();
    done_.store(number, std::memory_order_seq_cst); // and a release: pairs with done(); seq_cst: pairs with enlist()
    for (Core* core = listed_.take_newest_first(); core != nullptr;) {
        Core& listed = *std::exchange(core, core->next_listed_);   // before it enlists again
        listed.is_listed_.store(false, std::memory_order_release); // its link is read; pairs with enlist()
        tell(listed);
    }
    busy_.store(false); // seq_cst: pairs with ask_for()
    try_to_begin();
}

std::uint64_t GracePeriods::unanswered(Core const& core) const {
    std::uint64_t const number = begun();
    return core.seen_.load(std::memory_order_relaxed) < number ? number : 0;
}

void GracePeriods::answer(Core& core, std::uint64_t number) {
    core.statistics_.answers.add(1);
    count_for(core, number);
}

// The core that takes it off the list tells it: after that it is not found listed any more. acquire: pairs with end().
void GracePeriods::enlist(Core& core) {
    if (core.is_listed_.load(std::memory_order_acquire)) return;
    core.is_listed_.store(true, std::memory_order_relaxed);
    listed_.push(core);
}

void GracePeriods::take_arrived(Core& core, Cycles now) {
    Callback* oldest = core.arrived_.take_oldest_first();
    if (oldest == nullptr) return;
    bool const nothing_waits_unasked = core.waiting_.empty() || core.asked_for_ >= core.waits_for_;
    if (core.next_.empty() && nothing_waits_unasked) core.oldest_ = now;
    std::size_t const before = core.next_.size();
    while (oldest != nullptr) core.next_.append(*std::exchange(oldest, oldest->next));
    core.statistics_.called.add(core.next_.size() - before);
    core.next_for_ = next();
}

void GracePeriods::sort(Core& core, Cycles now, bool may_wait) {
    // acquire, and first: pairs with call(). What comes in between is asked for by the next look.
    Urgency const urgency = core.urgency_.exchange(Urgency::Batched, std::memory_order_acquire);
    take_arrived(core, now);
    for (;;) {
        if (!core.waiting_.empty() && core.waits_for_ <= done()) make_due(core);
        if (core.waiting_.empty()) {
            if (core.next_.empty()) return;
            core.waiting_.append(core.next_);
            core.waits_for_ = core.next_for_;
        }
        std::uint64_t const newest = core.next_.empty() ? core.waits_for_ : core.next_for_;
        bool const is_batched = may_wait && urgency == Urgency::Batched &&
                                core.waiting_.size() + core.next_.size() < lazy_callbacks &&
                                now - core.oldest_ < clock::to_cycles(lazy_time);
        if ((core.asked_for_ < newest && !is_batched) || urgency == Urgency::Expedited) {
            core.asked_for_ = newest;
            ask_for(newest, urgency);
        }
        if (core.asked_for_ < core.waits_for_) return; // the worker looks again next round
        enlist(core);
        // seq_cst: it may have ended before the core was on the list.
        if (done_.load(std::memory_order_seq_cst) < core.waits_for_) return;
    }
}

void GracePeriods::make_due(Core& core) {
    core.statistics_.batches.add(1);
    core.statistics_.max_batch.raise_to(core.waiting_.size());
    core.ready_.append(core.waiting_);
}

void GracePeriods::run_ready(Core& core) {
    bool const all = core.pending() > too_many_callbacks;
    std::uint64_t count = 0;
    while (all || count < callbacks_per_turn) {
        Callback* const callback = core.ready_.take();
        if (callback == nullptr) break;
        ++count;
        callback->function(*callback);
    }
    if (count == 0) return;
    core.statistics_.run.add(count);
    core.statistics_.max_turn.raise_to(count);
    if (!core.ready_.empty()) arch::notify(core.id_, arch::Attention::Grace);
}

void GracePeriods::advance(Core& core, Cycles now) {
    sort(core, now, true);
    if (waits(core)) report_stall(now);
    run_ready(core);
}

// More than one core may ask, one of them reports.
void GracePeriods::report_stall(Cycles now) {
    std::uint64_t const number = begun();
    Cycles const start = begun_at_.load(std::memory_order_relaxed);
    if (done() >= number || now < start || now - start < clock::to_cycles(stall_time)) return;
    if (reported_.exchange(number, std::memory_order_relaxed) >= number) return;
    std::size_t others = 0;
    constexpr std::size_t named = 4;
    for (Core const& core : cores_) {
        if (core.seen() >= number || ++others > named) continue;
        FixedText<200> what;
        if (Describe const describe = describe_.load(std::memory_order_relaxed); describe != nullptr)
            describe(what, core.id_);
        log::warn("rcu: a grace period has waited for {} ms for core {}: {}",
                  raw(clock::to_nanoseconds(now - start)) / 1'000'000, core.id_, what.view());
    }
    if (others > named) log::warn("rcu: and for {} more cores", others - named);
    statistics_.stalled.add(1);
}

void GracePeriods::before_halt(Core& core, bool is_quiescent) {
    if (core.has_callbacks()) sort(core, clock::timestamp(), false);
    if (is_quiescent) arch::begin_quiet_halt();
    // seq_cst: pairs with begin() and tell().
    core.presence_.store(is_quiescent ? Core::Presence::Away : Core::Presence::Halted, std::memory_order_seq_cst);
    inject::point();
    // What is due has to run first, nobody would tell the core of it; and what has arrived meanwhile be sorted.
    if (!core.ready_.empty() || !core.arrived_.empty()) arch::leave_word(core.id_, arch::Attention::Grace);
}

void GracePeriods::after_halt(Core& core) {
    inject::point();
    core.presence_.store(Core::Presence::Awake, std::memory_order_relaxed);
    // Who has found it away before this, has unlinked before; pairs with begin().
    store_load_fence();
}

} // namespace mxk::rcu
