// TLB coherence by epochs: when page tables withdraw a right, which cores have to forget translations before nobody has
// the right any more. The change of a page table and the invalidation are separate steps; several changes share one
// invalidation, and no core is interrupted that need not be. (V. Uhlig, Scalability of Microkernel-Based Systems,
// Karlsruhe 2005: TLB coherence with epochs.)
//
// There is one epoch for all, which grows when a core forgets everything. A withdrawal takes the epoch as its stamp,
// after it has changed the page table; a core that has forgotten everything in a later epoch has forgotten what was
// withdrawn (so one flush is good for all that is outstanding, whatever it belongs to). A core has to be asked
// exactly if
//
//   - it is in the mask of those that have used the address space,
//   - it may have translations of it (holds),
//   - it has not forgotten everything in an epoch after the stamp, and
//   - it does not halt; one that does is marked, and forgets everything before it goes on.
//
// docs/kernel-mapping.md has the argument why nothing stale is used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/translations.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/coherence_counts.hpp"
#include "kernel/memory/mapping/withdrawals.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/topology/processor_numbers.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::mapping {

class AddressSpace;

class Coherence {
  public:
    // More pages than these are not forgotten one by one: all are.
    static constexpr std::size_t max_single_pages = 8;

    // How a core is made to run serve(): interrupted, at once; null: by a remote call, at its safe point.
    using Ring = void (*)(CoreId core);

    // What it has of each core of the machine, and in which order they stand in its sets. Errors: no memory. The boot
    // core.
    class Core;
    struct Cores {
        PerCore<Core> by_id;
        topology::ProcessorNumbers numbers;
    };
    static Result<Cores> make_cores(topology::Topology const& topology);
    Coherence(Cores cores, Ring ring);

    // The epoch that it is, for the mark of a page that is about to be withdrawn.
    [[nodiscard]] std::uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
    // The epoch in which something was withdrawn: after its page table has been changed, by an atomic
    // read-modify-write. Any core; never blocks.
    [[nodiscard]] std::uint64_t stamp();

    // Returns when no core has any of these translations: then memory that they lead to can be given to others. The
    // entries that were withdrawn are free. Tasks and threads on metal, tasks on Linux, with no lock held; waits until
    // the cores that must be asked have answered, and answers others meanwhile.
    void make_authoritative(Withdrawals const& withdrawn);

    // The same at once for one page that is found withdrawn, by any core. As make_authoritative().
    void free_now(AddressSpace const& space, WithdrawnPage const& page);

    // The same for all of one space, which no core has active. No stamp taken until now is younger than that.
    void forget_space(AddressSpace& space);

    // The calling core uses this space from now on, or the kernel's own alone. Tasks; does not block.
    void activate(AddressSpace& space);
    void leave();
    // 0: the kernel's own.
    [[nodiscard]] unsigned active_tag() const;

    // The calling core forgets all that it has of address spaces: all withdrawals until now are done for it.
    void forget_all();

    // Before the calling core halts, and before it does anything else afterwards.
    void before_halt();
    void after_halt();

    // What other cores want of the calling core; without SSE on metal. In its handler, its safe point, and while it
    // waits.
    void serve();
    // One turn of a wait for another core.
    void wait_turn();

    // A tag that no space has. Errors: there are none. Any core.
    Result<unsigned> take_tag();
    void give_tag(unsigned tag);

    // Any core; a moment's figures.
    [[nodiscard]] CoherenceCounts counts() const;
    [[nodiscard]] std::size_t cores() const { return cores_.size(); }
    [[nodiscard]] bool uses_interrupts() const { return ring_ != nullptr; }

  private:
    Core& own() const;
    std::uint64_t begin_flush(Core& self);
    void flush_all(Core& self);
    void flush_page(Core& self, WithdrawnPage const& page);
    void run(Core& self, Core const& asker);
    // Asks those of the users that have to be.
    void ask_users(Core& self, ClusterMask users, SpaceSet spaces, std::uint64_t stamp);
    bool has_to_be_asked(Core& self, Core& other, SpaceSet spaces, std::uint64_t stamp);
    static bool mark_if_away(Core& other);
    void ask(Core& self, std::span<CoreId const> targets);

    PerCore<Core> cores_;
    topology::ProcessorNumbers numbers_; // of the cores in masks of users
    Ring ring_;
    alignas(cache_line_bytes) std::atomic<std::uint64_t> epoch_{1};
    std::atomic<std::uint64_t> stamped_{0}; // the newest epoch in which something was withdrawn
    alignas(cache_line_bytes) std::atomic<SpaceSet> taken_tags_{1};
};

// Its own core writes, or that core's handler; others read.
class Coherence::Core {
  public:
    Core(CoreId core, std::size_t number, NodeArray<std::atomic<std::uint64_t>> askers, NodeArray<CoreId> targets)
        : id_(core)
        , number_(number)
        , askers_(std::move(askers))
        , targets_(std::move(targets)) {}

  private:
    friend class Coherence;
    enum class Presence : std::uint8_t {
        Here,
        Away,       // halts
        AwayMissed, // and has to forget everything before it goes on
    };
    struct Counters {
        CoherenceCounter withdrawals, shootdowns, asked, interrupts, page_flushes, full_flushes, atomics, saved_unused,
            saved_flushed, saved_away;
    };

    CoreId id_;
    std::size_t number_;                    // in masks of users
    std::atomic<std::uint64_t> flushed_{0}; // in which epoch it last began to forget everything
    std::atomic<SpaceSet> holds_{0};        // spaces of which it may have translations
    std::atomic<Presence> presence_{Presence::Here};
    std::atomic<unsigned> active_{0};
    arch::translations::Table* root_ = nullptr; // of the active one
    Counters counters_;
    // A bit for each core that asks; these set it.
    NodeArray<std::atomic<std::uint64_t>> askers_;
    // What it asks others for, one at a time: these pages; none: everything.
    std::span<WithdrawnPage const> wanted_{};
    std::atomic<std::size_t> missing_{0}; // cores that have not answered
    NodeArray<CoreId> targets_;
};

// The machine's; null before create() and after forget().
extern constinit Coherence* current_coherence;
inline Coherence* coherence() {
    return current_coherence;
}
// The boot core, before the others run. Errors: no memory.
Result<void> create(topology::Topology const& topology);
void forget();

} // namespace mxk::mapping
