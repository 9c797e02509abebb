#include "kernel/memory/mapping/coherence.hpp"

#include <bit>
#include <limits>
#include <new>

#include "base/fence.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/mapping/address_space.hpp"
#include "kernel/remote_call.hpp"

namespace mxk::mapping {
namespace {

using arch::translations::HandlerOff;

constexpr std::size_t word_bits = 64;

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(Coherence) constinit std::byte room[sizeof(Coherence)]{};

} // namespace

constinit Coherence* current_coherence = nullptr;

Result<Coherence::Cores> Coherence::make_cores(topology::Topology const& topology) {
    auto const cores = topology.cores;
    auto numbers = MXK_TRY(topology::ProcessorNumbers::create(topology, cores.front().node));
    auto result = MXK_TRY(PerCore<Core>::with_room(cores.size(), cores.front().node));
    for (topology::Core const& core : cores) {
        std::size_t const words = (cores.size() + word_bits - 1) / word_bits;
        auto askers = MXK_TRY(NodeArray<std::atomic<std::uint64_t>>::create(words, core.node));
        for (auto& word : askers.span()) new (&word) std::atomic<std::uint64_t>(0);
        auto targets = MXK_TRY(NodeArray<CoreId>::create(cores.size(), core.node));
        auto const added =
            result.add(core.node, core.id, numbers.number(core.id), std::move(askers), std::move(targets));
        if (!added) return added.error();
    }
    return Cores{std::move(result), std::move(numbers)};
}

Coherence::Coherence(Cores cores, Ring ring)
    : cores_(std::move(cores.by_id))
    , numbers_(std::move(cores.numbers))
    , ring_(ring) {}

std::uint64_t Coherence::stamp() {
    // seq_cst: after the change of the page table, which the caller has made by a locked instruction. A core that sees
    // a later epoch than this one sees the change, too.
    std::uint64_t const epoch = epoch_.load(std::memory_order_seq_cst);
    inject::point();
    if (stamped_.load(std::memory_order_relaxed) != epoch) stamped_.store(epoch, std::memory_order_relaxed);
    return epoch;
}

// seq_cst, what is read: pairs with the fence of activate().
bool Coherence::has_to_be_asked(Core& self, Core& other, SpaceSet spaces, std::uint64_t stamp) {
    inject::point();
    if ((other.holds_.load(std::memory_order_seq_cst) & spaces) == 0) {
        self.counters_.saved_unused.add(1);
        return false;
    }
    // acquire: what it has done by its old translations it has done before; pairs with flush_all().
    if (other.flushed_.load(std::memory_order_acquire) > stamp) {
        self.counters_.saved_flushed.add(1);
        return false;
    }
    if (mark_if_away(other)) {
        self.counters_.saved_away.add(1);
        return false;
    }
    return true;
}

// acquire: as above; pairs with before_halt(). What was withdrawn, the core finds so after after_halt().
bool Coherence::mark_if_away(Core& other) {
    using Presence = Core::Presence;
    Presence before = other.presence_.load(std::memory_order_seq_cst);
    for (;;) {
        if (before == Presence::Here) return false;
        if (before == Presence::AwayMissed) return true;
        inject::point();
        if (other.presence_.compare_exchange_weak(before, Presence::AwayMissed, std::memory_order_seq_cst)) return true;
    }
}

void Coherence::ask_users(Core& self, ClusterMask users, SpaceSet spaces, std::uint64_t stamp) {
    std::size_t count = 0;
    CoreId* const targets = self.targets_.data();
    bool asks_itself = false;
    users.for_each(cores_.size(), [&](std::size_t number) {
        Core& other = cores_[numbers_.core(number)];
        if (&other == &self) {
            asks_itself = (self.holds_.load(std::memory_order_relaxed) & spaces) != 0 &&
                          self.flushed_.load(std::memory_order_relaxed) <= stamp;
        } else if (has_to_be_asked(self, other, spaces, stamp)) {
            targets[count++] = other.id_;
        }
    });
    if (count != 0) {
        self.counters_.shootdowns.add(1);
        self.counters_.asked.add(count);
    }
    if (asks_itself) {
        HandlerOff const off;
        run(self, self);
    }
    if (count != 0) ask(self, {targets, count});
}

void Coherence::ask(Core& self, std::span<CoreId const> targets) {
    self.counters_.atomics.add(2 * targets.size()); // the bit, and the answer
    if (ring_ == nullptr) {
        self.counters_.interrupts.add(targets.size());
        return call_on_each(targets, [this, &self] { run(own(), self); });
    }
    std::size_t const word = index(self.id_) / word_bits;
    std::uint64_t const bit = std::uint64_t{1} << index(self.id_) % word_bits;
    self.missing_.store(targets.size(), std::memory_order_relaxed);
    for (CoreId const target : targets) {
        inject::point();
        // release: what is wanted is visible. One who was there before has interrupted it, and it has not looked yet.
        if (cores_[target].askers_[word].fetch_or(bit, std::memory_order_acq_rel) != 0) continue;
        self.counters_.interrupts.add(1);
        ring_(target);
    }
    // acquire: pairs with serve()
    for (SpinWait wait; self.missing_.load(std::memory_order_acquire) != 0; wait.turn()) serve();
}

void Coherence::wait_turn() {
    if (ring_ == nullptr)
        remote_calls::serve();
    else
        serve();
}

void Coherence::make_authoritative(Withdrawals const& withdrawn) {
    if (withdrawn.empty()) return;
    hold_preemption();
    Core& self = own();
    self.counters_.withdrawals.add(withdrawn.pages().size());
    self.wanted_ = withdrawn.pages();
    if (self.wanted_.size() > max_single_pages) self.wanted_ = {};
    ask_users(self, withdrawn.users(), withdrawn.spaces(), withdrawn.stamp());
    inject::point();
    for (WithdrawnPage const& page : withdrawn.pages()) {
        std::uint64_t mark = page.mark;
        // release: who maps something there finds that nobody has the old translation. It may have seen to that itself.
        if (page.entry != nullptr)
            page.entry->compare_exchange_strong(mark, entry::free, std::memory_order_release,
                                                std::memory_order_relaxed);
    }
    release_preemption();
}

void Coherence::free_now(AddressSpace const& space, WithdrawnPage const& page) {
    // Now, since nobody knows here when the page was withdrawn; but it was.
    std::uint64_t const now = stamp();
    // A later withdrawal of the same page has another mark then, which an earlier shootdown does not take for its own.
    std::uint64_t before = epoch_.load(std::memory_order_relaxed);
    while (before <= now && !epoch_.compare_exchange_weak(before, now + 1, std::memory_order_seq_cst)) {
    }
    Withdrawals one;
    one.add(page, space.users(), now);
    make_authoritative(one);
}

void Coherence::forget_space(AddressSpace& space) {
    hold_preemption();
    for (Core const& core : cores_)
        expect(core.active_.load(std::memory_order_relaxed) != space.tag(), "a space that goes is active nowhere");
    Core& self = own();
    self.wanted_ = {};
    ask_users(self, space.users(), only(space.tag()), std::numeric_limits<std::uint64_t>::max());
    release_preemption();
}

void Coherence::activate(AddressSpace& space) {
    HandlerOff const off;
    Core& self = own();
    SpaceSet const before = self.holds_.load(std::memory_order_relaxed);
    SpaceSet const now = only(space.tag());
    bool const has_tags = arch::translations::abilities().tags;
    if (space.add_user(self.number_)) self.counters_.atomics.add(1);
    self.holds_.store(before | now, std::memory_order_release);
    self.active_.store(space.tag(), std::memory_order_relaxed);
    self.root_ = &space.table().root();
    std::uint64_t const epoch = has_tags ? 0 : begin_flush(self);
    // Either a core that withdraws something sees that this one may have it, or this one finds it withdrawn; the same
    // of what was withdrawn before the epoch.
    store_load_fence();
    arch::translations::activate(*self.root_, space.tag(), has_tags && (before & now) != 0);
    if (has_tags) return;
    self.holds_.store(now, std::memory_order_release);
    self.flushed_.store(epoch, std::memory_order_release);
}

void Coherence::leave() {
    HandlerOff const off;
    Core& self = own();
    self.active_.store(0, std::memory_order_relaxed);
    self.root_ = nullptr;
    arch::translations::activate_kernel();
    if (!arch::translations::abilities().tags) self.holds_.store(0, std::memory_order_release);
}

unsigned Coherence::active_tag() const {
    return own().active_.load(std::memory_order_relaxed);
}

void Coherence::forget_all() {
    HandlerOff const off;
    flush_all(own());
}

void Coherence::before_halt() {
    Core& self = own();
    if (self.holds_.load(std::memory_order_relaxed) == 0) return;
    // release: pairs with mark_if_away(). Nobody else changes it while the core is here.
    self.presence_.store(Core::Presence::Away, std::memory_order_release);
}

void Coherence::after_halt() {
    Core& self = own();
    if (self.presence_.load(std::memory_order_relaxed) == Core::Presence::Here) return;
    inject::point();
    if (self.presence_.exchange(Core::Presence::Here, std::memory_order_seq_cst) == Core::Presence::AwayMissed)
        forget_all();
}

Result<unsigned> Coherence::take_tag() {
    SpaceSet taken = taken_tags_.load(std::memory_order_relaxed);
    for (;;) {
        if (~taken == 0) return Error::of("no more than {} address spaces at a time", arch::translations::tags - 1);
        auto const tag = static_cast<unsigned>(std::countr_one(taken));
        // acquire: pairs with give_tag()
        if (taken_tags_.compare_exchange_weak(taken, taken | only(tag), std::memory_order_acquire)) return tag;
    }
}

void Coherence::give_tag(unsigned tag) {
    taken_tags_.fetch_and(~only(tag), std::memory_order_release);
}

CoherenceCounts Coherence::counts() const {
    CoherenceCounts sum;
    for (Core const& core : cores_) {
        auto const& counters = core.counters_;
        sum.withdrawals += counters.withdrawals.value();
        sum.shootdowns += counters.shootdowns.value();
        sum.asked += counters.asked.value();
        sum.interrupts += counters.interrupts.value();
        sum.page_flushes += counters.page_flushes.value();
        sum.full_flushes += counters.full_flushes.value();
        sum.atomics += counters.atomics.value();
        sum.saved_unused += counters.saved_unused.value();
        sum.saved_flushed += counters.saved_flushed.value();
        sum.saved_away += counters.saved_away.value();
    }
    return sum;
}

Result<void> create(topology::Topology const& topology) {
    expect(current_coherence == nullptr, "coherence is prepared once");
    auto list = MXK_TRY(Coherence::make_cores(topology));
    bool const has_interrupts = arch::translations::set_handler([] { current_coherence->serve(); });
    current_coherence =
        new (room) Coherence(std::move(list), has_interrupts ? &arch::translations::interrupt : nullptr);
    return {};
}

void forget() {
    if (current_coherence != nullptr) current_coherence->~Coherence();
    current_coherence = nullptr;
}

} // namespace mxk::mapping
