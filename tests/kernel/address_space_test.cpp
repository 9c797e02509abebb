// Address spaces on real cores: what is mapped is found, what is withdrawn faults once that is authoritative, and cores
// are interrupted no more than they have to be. On metal these are the processor's page tables and TLBs.
#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>

#include "arch/cpu.hpp"
#include "bench/workload/random.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/adaptive/lock_cascade.hpp"
#include "kernel/test_remark.hpp"
#include "tasks/wait_until.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/mapped_pages.hpp"

namespace mxk {
namespace {

using namespace mapping;

constexpr std::uint64_t small = bytes(PageSize::Small);

MXK_TEST(mapping, pages_of_all_sizes_are_found_and_fault_when_they_are_gone) {
    MappingDatabase database(*coherence(), LockingKind::Fine);
    for (PageSize const size : {PageSize::Small, PageSize::Large, PageSize::Huge}) {
        if (size == PageSize::Huge) {
            if (!arch::translations::abilities().gigabyte_pages) continue;
            auto const there_is = memory::allocate(bytes(size), bytes(size), Worker::current().node());
            if (!there_is) continue; // a small machine
            memory::free(there_is.value());
        }
        auto pages = MappedPages::create(1, size, 4);
        if (!pages) return;
        auto space = AddressSpace::create(*coherence(), Worker::current().node());
        MXK_CHECK(space.ok());
        if (!space) return;
        CoreId const here[] = {Worker::current().core()};
        std::uint64_t const address = window + 3 * GiB;
        auto const mapping = database.map(pages->object, 0, space.value(), address, Rights::ReadWrite);
        MXK_CHECK(mapping.ok());
        if (!mapping) return;
        MXK_CHECK(!read(address)); // in the kernel's own
        {
            ActiveOn const active(here, space.value());
            MXK_CHECK(read(address) == 0U);
            MXK_CHECK(write(address + bytes(size) - 8, 5) && read(address + bytes(size) - 8) == 5U);
            MXK_CHECK(!read(address + bytes(size)) && !read(address - 8));
            MXK_CHECK(database.protect(pages->object, mapping.value(), Rights::Read).ok());
            database.settle(pages->object);
            MXK_CHECK(!write(address, 6) && read(address) == 0U);
            MXK_CHECK(database.protect(pages->object, mapping.value(), Rights::ReadWrite).ok());
            MXK_CHECK(write(address, 7) && read(address) == 7U);
            MXK_CHECK(database.unmap(pages->object, mapping.value()).ok());
            database.settle(pages->object);
            MXK_CHECK(!read(address) && !write(address, 8));
        }
    }
}

MXK_TEST(mapping, each_core_has_the_space_that_it_has_chosen) {
    auto const cores = all_cores();
    MappingDatabase database(*coherence(), LockingKind::Fine);
    auto pages = MappedPages::create(2, PageSize::Small, 2);
    if (!pages) return;
    auto one = AddressSpace::create(*coherence(), Worker::current().node());
    auto other = AddressSpace::create(*coherence(), Worker::current().node());
    MXK_CHECK(one.ok() && other.ok());
    if (!one || !other) return;
    auto const in_one = database.map(pages->object, 0, one.value(), window, Rights::ReadWrite);
    auto const in_other = database.map(pages->object, 1, other.value(), window, Rights::ReadWrite);
    MXK_CHECK(in_one.ok() && in_other.ok());
    MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t place) {
        for (std::size_t i = 0; i < 20; ++i) {
            coherence()->activate((place + i) % 2 == 0 ? one.value() : other.value());
            MXK_CHECK(read(window) == (place + i) % 2);
        }
        coherence()->leave();
        MXK_CHECK(!read(window));
        return Step::Done;
    }));
    MXK_CHECK(database.unmap(pages->object, in_one.value()).ok() &&
              database.unmap(pages->object, in_other.value()).ok());
    database.settle(pages->object);
}

MXK_TEST(mapping, what_was_handed_on_is_revoked_everywhere) {
    auto const cores = all_cores();
    MappingDatabase database(*coherence(), LockingKind::Fine);
    auto pages = MappedPages::create(1, PageSize::Small, 200);
    if (!pages) return;
    auto space = AddressSpace::create(*coherence(), Worker::current().node());
    MXK_CHECK(space.ok());
    if (!space) return;
    constexpr std::size_t children = 100;
    auto const top = database.map(pages->object, 0, space.value(), window, Rights::ReadWrite);
    Mapping parent = top.value();
    for (std::size_t i = 1; i <= children; ++i) {
        auto const child =
            database.hand_on(pages->object, parent, space.value(), window + i * small, Rights::ReadWrite);
        MXK_CHECK(child.ok());
        if (!child) return;
        if (i % 3 == 0) parent = child.value();
    }
    ActiveOn const active(cores.span(), space.value());
    auto const count_found = [&] {
        std::atomic<std::size_t> found{0};
        MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t) {
            for (std::size_t i = 1; i <= children; ++i) found += write(window + i * small + 8, i) ? 1 : 0;
            return Step::Done;
        }));
        return found.load();
    };
    MXK_CHECK_EQUAL(count_found(), children * cores.size());
    MXK_CHECK(database.revoke(pages->object, top.value()).ok());
    database.settle(pages->object);
    MXK_CHECK_EQUAL(count_found(), 0U);
    MXK_CHECK(read(window) == 0U);
    MXK_CHECK(database.unmap(pages->object, top.value()).ok());
    database.settle(pages->object);
}

constexpr std::size_t many = 1000;

// Maps `many` pages, has these cores use them, unmaps them one by one, and says what that took.
CoherenceCounts unmap_one_by_one(std::span<CoreId const> users) {
    MappingDatabase database(*coherence(), LockingKind::Fine);
    auto pages = MappedPages::create(many, PageSize::Small, many);
    auto mappings = NodeVector<Mapping>::create(many, Worker::current().node());
    auto space = AddressSpace::create(*coherence(), Worker::current().node());
    MXK_CHECK(mappings.ok() && space.ok());
    if (!pages || !mappings || !space) return {};
    for (std::size_t i = 0; i < many; ++i)
        mappings.value().emplace(
            database.map(pages->object, i, space.value(), window + i * small, Rights::ReadWrite).value());
    CoherenceCounts took;
    ActiveOn const active(users, space.value());
    // Busy cores: those that halt are not asked anyway.
    std::atomic<std::size_t> ready{0};
    std::atomic<bool> is_over{false};
    std::size_t const helpers = users.size() - 1;
    MXK_CHECK(users.front() == Worker::current().core());
    MXK_CHECK(run_on(users, [&](Worker&, std::size_t place) {
        if (place != 0) { // keeps its core busy
            if (is_over.load(std::memory_order_relaxed)) {
                for (std::size_t i = 0; i < many; ++i) MXK_CHECK(!read(window + i * small));
                return Step::Done;
            }
            for (std::size_t i = 0; i < many; i += 7)
                if (auto const found = read(window + i * small)) MXK_CHECK(*found == i);
            ready.fetch_add(1, std::memory_order_relaxed);
            return Step::Again;
        }
        if (ready.load(std::memory_order_relaxed) < helpers) return Step::Again;
        for (std::size_t i = 0; i < many; ++i) MXK_CHECK(read(window + i * small) == i);
        CoherenceCounts const before = coherence()->counts();
        for (Mapping const mapping : mappings.value()) MXK_CHECK(database.unmap(pages->object, mapping).ok());
        database.settle(pages->object);
        took = coherence()->counts();
        took.interrupts -= before.interrupts;
        took.shootdowns -= before.shootdowns;
        took.asked -= before.asked;
        for (std::size_t i = 0; i < many; ++i) MXK_CHECK(!read(window + i * small));
        is_over.store(true, std::memory_order_relaxed);
        return Step::Done;
    }));
    return took;
}

MXK_TEST(mapping, pages_that_one_core_uses_are_unmapped_without_an_interrupt) {
    CoreId const here[] = {Worker::current().core()};
    CoherenceCounts const took = unmap_one_by_one(here);
    MXK_CHECK_EQUAL(took.interrupts, 0U);
    MXK_CHECK_EQUAL(took.shootdowns, 0U);
}

MXK_TEST(mapping, pages_that_all_cores_use_are_unmapped_by_a_shootdown_for_32) {
    auto const cores = all_cores();
    if (cores.size() < 2) MXK_SKIP("needs two cores");
    CoherenceCounts const took = unmap_one_by_one(cores.span());
    constexpr std::size_t max_shootdowns = many / 32 + 1;
    MXK_CHECK(took.shootdowns > 0 && took.shootdowns <= max_shootdowns);
    MXK_CHECK(took.interrupts <= max_shootdowns * (cores.size() - 1));
    inner_tests::remark(took.shootdowns, "shootdowns");
}

// A core that halts with a space active is left alone, and has forgotten what it must when it goes on.
MXK_TEST(mapping, a_core_that_halts_is_not_interrupted) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    CoreId const cores[] = {Worker::current().core(), last_core()};
    MappingDatabase database(*coherence(), LockingKind::Fine);
    auto pages = MappedPages::create(1, PageSize::Small, 1);
    if (!pages) return;
    auto space = AddressSpace::create(*coherence(), Worker::current().node());
    MXK_CHECK(space.ok());
    if (!space) return;
    ActiveOn const active(cores, space.value());
    for (int i = 0; i < 50; ++i) {
        auto const mapping = database.map(pages->object, 0, space.value(), window, Rights::ReadWrite);
        MXK_CHECK(mapping.ok());
        if (!mapping) return;
        MXK_CHECK(run_on(cores, [](Worker&, std::size_t) {
            MXK_CHECK(write(window, 1));
            return Step::Done;
        }));
        auto const before = coherence()->counts();
        Cycles const start = clock::timestamp();
        // By default it halts then; if something wakes it up, it is interrupted, and nothing is wrong.
        while (clock::timestamp() - start < clock::to_cycles(Nanoseconds{500'000})) arch::pause();
        MXK_CHECK(database.unmap(pages->object, mapping.value()).ok());
        database.settle(pages->object);
        auto const after = coherence()->counts();
        MXK_CHECK_EQUAL(after.asked - before.asked + after.saved_away - before.saved_away, 1U);
        MXK_CHECK(run_on(cores, [](Worker&, std::size_t) {
            MXK_CHECK(!read(window));
            return Step::Done;
        }));
        if (after.saved_away != before.saved_away && i >= 10) return;
    }
    MXK_CHECK(false && "a core without tasks halts");
}

// Each core maps a page for all, and withdraws it, while all of them use those of the others.
class RightsOfAll {
  public:
    static constexpr std::size_t rounds = 60;

    // between_rounds() is called by the first core, in no visit.
    template <typename BetweenRounds>
    static void check(std::span<CoreId const> cores, MappingDatabase& database, BetweenRounds between_rounds) {
        NodeId const node = Worker::current().node();
        auto space = AddressSpace::create(*coherence(), node);
        MXK_CHECK(space.ok());
        if (!space) return;
        auto owners = NodeVector<Own>::create(cores.size(), node);
        MXK_CHECK(owners.ok());
        if (!owners) return;
        for (std::size_t i = 0; i < cores.size(); ++i)
            if (!owners.value().emplace(inner_tests::seed() + i).take_page(i, node)) return;
        ActiveOn const active(cores, space.value());
        std::atomic<std::size_t> used{0};
        bool const ran = run_on(cores, [&](Worker&, std::size_t place) {
            Own& own = owners.value()[place];
            change_rights(database, space.value(), owners.value().span(), place, used);
            if (place == 0) between_rounds();
            return ++own.round < rounds ? Step::Again : Step::Done;
        });
        MXK_CHECK(ran);
        MXK_CHECK(used.load() > 0);
    }

  private:
    struct Own {
        explicit Own(std::uint64_t seed)
            : random(seed) {}
        bool take_page(std::size_t part, NodeId node) {
            auto const block = memory::allocate(small, small, node);
            auto tree = DerivationTree::create(2, node);
            MXK_CHECK(block.ok() && tree.ok());
            if (!block || !tree) return false;
            pages.emplace(MappedPages::Key{}, block.value(), 1, PageSize::Small, std::move(tree).value(), part);
            return true;
        }
        std::optional<MappedPages> pages;
        bench::Random random;
        std::size_t round = 0;
        // Bit 0: read, bit 1: write, as others may still do; above, how often it was mapped.
        std::atomic<std::uint64_t> allowed{0};
    };

    static void change_rights(MappingDatabase& database, AddressSpace& space, std::span<Own> owners, std::size_t place,
                              std::atomic<std::size_t>& used) {
        Own& own = owners[place];
        auto& object = own.pages->object;
        own.allowed.fetch_add(4 + 3); // both in one step
        auto const mapping = database.map(object, 0, space, window + place * small, Rights::ReadWrite);
        MXK_CHECK(mapping.ok());
        if (!mapping) return;
        look(owners, own.random, used);
        MXK_CHECK(database.protect(object, mapping.value(), Rights::Read).ok());
        database.settle(object);
        own.allowed.fetch_and(~std::uint64_t{2});
        look(owners, own.random, used);
        MXK_CHECK(database.unmap(object, mapping.value()).ok());
        database.settle(object);
        own.allowed.fetch_and(~std::uint64_t{1});
        look(owners, own.random, used);
    }
    static void look(std::span<Own const> owners, bench::Random& random, std::atomic<std::size_t>& used) {
        for (std::size_t i = 0; i < 8; ++i) {
            std::size_t const other = random.below(owners.size());
            std::atomic<std::uint64_t> const& allowed = owners[other].allowed;
            // Up to the next mapping rights only become fewer: what was forbidden before is not used.
            std::uint64_t const before = allowed.load(std::memory_order_seq_cst);
            bool const was_read = read(window + other * small).has_value();
            bool const was_written = write(window + other * small + 8, 1);
            if (allowed.load(std::memory_order_seq_cst) >> 2 != before >> 2) continue; // mapped again meanwhile
            MXK_CHECK(!was_read || (before & 1) != 0);
            MXK_CHECK(!was_written || (before & 2) != 0);
            used.fetch_add(was_read ? 1 : 0, std::memory_order_relaxed);
        }
    }
};

MXK_TEST(mapping, nothing_stale_is_used_while_all_cores_change_rights) {
    auto const all = all_cores();
    InjectDelays const delays;
    MappingDatabase database(*coherence(), LockingKind::Fine);
    RightsOfAll::check(all.span().first(std::min<std::size_t>(all.size(), 16)), database, [] {});
}

// The same while one lock becomes many, and these one again.
MXK_TEST(mapping, nothing_stale_is_used_while_the_granularity_of_its_locks_changes) {
    auto const all = all_cores();
    auto const cores = all.span().first(std::min<std::size_t>(all.size(), 16));
    MappingDatabase database(*coherence(), LockingKind::Cascade, cores.size(), Worker::current().node());
    auto& cascade = database.locking().cascade();
    std::size_t changes = 0;
    {
        InjectDelays const delays;
        RightsOfAll::check(cores, database, [&] {
            if (cascade.coarsen(rcu::Urgency::Expedited)) {
                ++changes;
            } else if (auto const refined = cascade.refine(rcu::Urgency::Expedited)) {
                changes += refined.value() ? 1U : 0U;
            }
        });
    }
    wait_until([&] { return cascade.is_stable(); });
    MXK_CHECK(changes > 0);
    inner_tests::remark(changes, "changes");
}

// Alone it takes no lock; it has one again for others.
MXK_TEST(mapping, a_cascade_is_one_cores_and_all_cores) {
    auto const all = all_cores();
    CoreId const here[] = {Worker::current().core()};
    MappingDatabase database(*coherence(), LockingKind::Cascade, all.size(), Worker::current().node());
    auto& cascade = database.locking().cascade();
    MXK_CHECK(cascade.claim(rcu::Urgency::Expedited));
    wait_until([&] { return cascade.is_stable(); });
    RightsOfAll::check(here, database, [] {});
    MXK_CHECK(cascade.granularity() == Granularity::None);
    MXK_CHECK_EQUAL(database.locking().shared_locks_taken(), 0U);
    MXK_CHECK(cascade.coarsen(rcu::Urgency::Expedited));
    wait_until([&] { return cascade.is_stable(); });
    RightsOfAll::check(all.span().first(std::min<std::size_t>(all.size(), 16)), database, [] {});
    MXK_CHECK(database.locking().shared_locks_taken() > 0);
}

} // namespace
} // namespace mxk
