// What a core forgets, for others, too: in the handler of their interrupts. Compiled without SSE on metal:
// arch/x86_64/exceptions/interrupts.hpp.
#include <bit>

#include "arch/core_local.hpp"
#include "base/fence.hpp"
#include "base/inject.hpp"
#include "kernel/memory/mapping/coherence.hpp"

namespace mxk::mapping {

Coherence::Core& Coherence::own() const {
    return cores_[arch::core_local().id];
}

// The epoch of a flush that begins after this, and after a fence: then it finds what was withdrawn before. It is a new
// one if something was withdrawn in the one that was; if that is overlooked, the flush counts for less than it is.
std::uint64_t Coherence::begin_flush(Core& self) {
    std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
    if (stamped_.load(std::memory_order_relaxed) != epoch) return epoch;
    self.counters_.atomics.add(1);
    std::uint64_t const next = epoch + 1;
    epoch_.compare_exchange_strong(epoch, next, std::memory_order_seq_cst); // or another core was faster
    return next;
}

// With the handler off, also below. Spaces that are not active are forgotten by not being held: activate() sees to it.
void Coherence::flush_all(Core& self) {
    std::uint64_t const epoch = begin_flush(self);
    unsigned const active = self.active_.load(std::memory_order_relaxed);
    // See begin_flush(). And after a halt: an asker that found it marked by another one has written nothing to say so.
    store_load_fence();
    inject::point();
    self.counters_.full_flushes.add(1);
    if (active != 0) arch::translations::activate(*self.root_, active, false);
    // release: what this core has done by its old translations, it has done before.
    self.holds_.store(active != 0 ? only(active) : 0, std::memory_order_release);
    self.flushed_.store(epoch, std::memory_order_release);
}

void Coherence::flush_page(Core& self, WithdrawnPage const& page) {
    SpaceSet const held = self.holds_.load(std::memory_order_relaxed);
    if ((held & only(page.tag)) == 0) return;
    self.counters_.page_flushes.add(1);
    bool const is_active = self.active_.load(std::memory_order_relaxed) == page.tag;
    if (!arch::translations::forget_page(page.tag, is_active, page.address))
        self.holds_.store(held & ~only(page.tag), std::memory_order_release);
}

void Coherence::run(Core& self, Core const& asker) {
    if (asker.wanted_.empty()) return flush_all(self);
    for (WithdrawnPage const& page : asker.wanted_) flush_page(self, page);
}

void Coherence::serve() {
    arch::translations::HandlerOff const off;
    Core& self = own();
    constexpr std::size_t word_bits = 64;
    for (std::size_t word = 0; word < self.askers_.size(); ++word) {
        if (self.askers_[word].load(std::memory_order_relaxed) == 0) continue;
        // acquire: pairs with ask()
        for (std::uint64_t bits = self.askers_[word].exchange(0, std::memory_order_acq_rel); bits != 0;
             bits &= bits - 1) {
            Core& asker = cores_[word * word_bits + static_cast<unsigned>(std::countr_zero(bits))];
            run(self, asker);
            inject::point();
            asker.missing_.fetch_sub(1, std::memory_order_release);
        }
    }
}

} // namespace mxk::mapping
