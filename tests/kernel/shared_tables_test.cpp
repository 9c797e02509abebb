// Tables that threads share: what semaphores promise, and what goes wrong without.
#include <algorithm>
#include <array>

#include "arch/machine.hpp"
#include "bench/thread/thread_options.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/modulo.hpp"
#include "hashtable/shared/guarded_chains.hpp"
#include "hashtable/shared/locked_probe.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "hashtable/shared/shared_chains.hpp"
#include "hashtable/shared/table_guards.hpp"
#include "kernel/testing.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/fabric/stored_topology.hpp"
#include "locks/hmcs_lock.hpp"
#include "locks/mcs_lock.hpp"
#include "tasks/threads/parking_lock.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/kernel/interruption.hpp"

namespace mxk {
namespace {

// Fewer on many cores, so that all of them together do as much as four: where a host has not got so many, each unit
// that is handed over waits for its turn.
std::uint32_t operations_of_each_thread() {
    return static_cast<std::uint32_t>(10'000 / std::max<std::size_t>(workers::count(), 4) + 1);
}

// The table, and memory for its buckets.
template <typename Locking> struct Chains {
    using Table = SharedChains<Modulo, Locking>;
    explicit Chains(std::size_t count, SemaphoreKind kind = SemaphoreKind::Fast)
        : buckets(NodeArray<typename Table::Bucket>::create(count, Worker::current().node()))
        , table(buckets.value().span(), Modulo(count), kind) {}
    Result<NodeArray<typename Table::Bucket>> buckets;
    Table table;
};

MXK_TEST(threads, share_chains_behind_semaphores) {
    std::uint32_t const operations = operations_of_each_thread();
    for (auto const& kind : value_names(SemaphoreKind{})) {
        if (!Semaphore::supports(kind.value)) continue;
        for (std::size_t const buckets : {1U, 64U}) {
            Chains<SemaphoreLock> chains(buckets, kind.value);
            std::size_t const threads = 2 * workers::count();
            auto nodes = NodeArray<ChainNode>::create(threads * operations, Worker::current().node());
            MXK_REQUIRE(nodes.ok());
            auto const wrong = contend(
                operations,
                [&](std::size_t i) {
                    return ChainsUser(chains.table, nodes.value().span().subspan(i * operations, operations));
                },
                [&](std::uint64_t key) { return chains.table.lookup(key) != nullptr; });
            MXK_CHECK_EQUAL(wrong, 0U);
        }
    }
}

template <typename LockType, typename... Arguments>
void check_chains_behind(bool const& has_failed, Arguments const&... arguments) {
    using Guard = table_guards::CoarseOf<LockType>;
    using Table = GuardedChains<Modulo, Guard>;
    constexpr std::size_t buckets = 16;
    // A queue's next owner is a core that a host with fewer has to run first, which takes milliseconds.
    std::uint32_t const operations = arch::describe_machine().is_emulated() ? 20 : operations_of_each_thread();
    auto room = NodeArray<typename Table::Bucket>::create(buckets, Worker::current().node());
    auto nodes = NodeArray<ChainNode>::create(2 * workers::count() * operations, Worker::current().node());
    MXK_REQUIRE(room.ok() && nodes.ok());
    Guard guard(arguments...);
    MXK_REQUIRE(!has_failed);
    Table table(room.value().span(), Modulo(buckets), &guard);
    auto const wrong = contend(
        operations,
        [&](std::size_t i) { return ChainsUser(table, nodes.value().span().subspan(i * operations, operations)); },
        [&](std::uint64_t key) { return table.lookup(key) != nullptr; });
    MXK_CHECK_EQUAL(wrong, 0U);
}

template <typename F> using McsOf = locks::Mcs<F>;
MXK_TEST(threads, share_chains_behind_any_lock) {
    auto const topology = locks::StoredTopology::of_machine();
    MXK_REQUIRE(topology.ok());
    auto const view = topology.value().view();
    bool has_failed = false;
    check_chains_behind<ParkingLock>(has_failed);
    check_chains_behind<McsLock>(has_failed);
    check_chains_behind<locks::KernelLock<locks::Hmcs<locks::Smp>>>(has_failed, locks::SmpSite(view, has_failed));
    check_chains_behind<locks::KernelLock<locks::Cohort<locks::Smp, McsOf, McsOf>>>(has_failed,
                                                                                    locks::SmpSite(view, has_failed));
}

NodeVector<Owner> all_owners() {
    auto owners = NodeVector<Owner>::create(workers::count(), Worker::current().node());
    expect(owners.ok(), "a test needs some bytes of memory");
    for (CoreId const core : all_cores()) owners.value().emplace(core, workers::of(core).node());
    return std::move(owners).value();
}

MXK_TEST(threads, share_regions_that_grow_behind_semaphores) {
    auto const owners = all_owners();
    for (auto const& kind : value_names(SemaphoreKind{})) {
        if (!Semaphore::supports(kind.value)) continue;
        using Table = LockedRegions<OpenSlots<>>;
        auto created = Table::create({.slots = 16}, owners.span(), kind.value);
        MXK_REQUIRE(created.ok());
        Table& table = created.value();
        auto const wrong = contend(
            operations_of_each_thread(), [&](std::size_t) { return PairsUser(table); },
            [&](std::uint64_t key) { return table.lookup(key) != nullptr; });
        MXK_CHECK_EQUAL(wrong, 0U);
    }
}

// Tables that are nearly full, so that operations go on from region to region, round the ring too.
MXK_TEST(threads, share_regions_that_operations_travel_through) {
    auto const owners = all_owners();
    std::size_t const threads = 2 * workers::count();
    std::size_t const keys = Contender<ProbeUser<LockedProbe>>::keys_each * (threads + 1);
    for (auto const& kind : value_names(SemaphoreKind{})) {
        if (!Semaphore::supports(kind.value)) continue;
        // Each put under way may have two places.
        auto created = LockedProbe::create(keys + threads, owners.span(), threads, kind.value);
        MXK_REQUIRE(created.ok());
        LockedProbe& table = created.value();
        auto const wrong = contend(
            operations_of_each_thread(), [&](std::size_t) { return ProbeUser(table); },
            [&](std::uint64_t key) { return ProbeUser<LockedProbe>::holds(table, key); });
        MXK_CHECK_EQUAL(wrong, 0U);
    }
}

// Links that let others in between the reading of one and the writing of another, which is where chains get lost.
template <typename Links> struct InterruptedLinks {
    static ChainNode* read(ChainNode* const& link) { return Links::read(link); }
    static void write(ChainNode*& link, ChainNode* node) {
        Interruption::point();
        Links::write(link, node);
    }
};
template <typename BucketLock> struct Interrupted : BucketLock { using BucketLock::BucketLock; };

} // namespace

template <typename BucketLock> struct LinksUnder<Interrupted<BucketLock>> {
    using Type = InterruptedLinks<typename LinksUnder<BucketLock>::Type>;
};

namespace {

// Two inserts into the one bucket that there is, the second one in the middle of the first.
struct Both {
    std::array<bool, 2> said{}; // that they have inserted
    std::array<bool, 2> there{};
    bool second_came_through = false;
};
template <typename Locking> Both insert_two(std::size_t buckets, Nanoseconds patience) {
    Chains<Interrupted<Locking>> chains(buckets);
    ChainNode first{4, nullptr};
    ChainNode second{5, nullptr};
    Both both;
    Interruption interruption(patience);
    both.second_came_through = interruption.run([&] { both.said[0] = chains.table.insert(first); },
                                                [&] { both.said[1] = chains.table.insert(second); });
    both.there = {chains.table.lookup(4) != nullptr, chains.table.lookup(5) != nullptr};
    return both;
}

MXK_TEST(threads, keep_each_other_out_of_a_bucket) {
    Both const both = insert_two<SemaphoreLock>(1, short_patience);
    MXK_CHECK(!both.second_came_through);
    MXK_CHECK(both.said[0] && both.said[1] && both.there[0] && both.there[1]);
}

MXK_TEST(threads, do_not_keep_each_other_out_of_other_buckets) {
    Both const both = insert_two<SemaphoreLock>(2, long_patience);
    MXK_CHECK(both.second_came_through);
    MXK_CHECK(both.said[0] && both.said[1] && both.there[0] && both.there[1]);
}

MXK_TEST(threads, lose_entries_without_semaphores) {
    Both const both = insert_two<NoLock>(1, long_patience);
    MXK_CHECK(both.second_came_through);
    MXK_CHECK(both.said[0] && both.said[1]); // and yet
    MXK_CHECK(both.there[0] && !both.there[1]);
}

// Whether an insert comes through while a look-up of key 1 has its value in hand.
bool comes_through(std::uint64_t key, Nanoseconds patience) {
    struct NumberAsHash { // the upper half of all numbers is the second region
        std::uint64_t operator()(std::uint64_t number) const { return number; }
    };
    auto owners = NodeVector<Owner>::create(2, Worker::current().node());
    for (std::size_t i = 0; i < 2; ++i) owners.value().emplace(core_id(0), Worker::current().node());
    using Table = LockedRegions<OpenSlots<>, NumberAsHash>;
    auto table = Table::create({.slots = 64}, owners.value().span(), SemaphoreKind::Fast);
    MXK_CHECK(table.ok());
    if (!table.ok()) return false;
    Insert inserted{};
    Interruption interruption(patience);
    bool const came = interruption.run(
        [&] {
            table.value().find(1, [](std::uint64_t const* value) {
                Interruption::point();
                return value == nullptr;
            });
        },
        [&] { inserted = table.value().insert(key, 7); });
    MXK_CHECK(inserted == Insert::Inserted && table.value().lookup(key) != nullptr);
    return came;
}

MXK_TEST(threads, keep_each_other_out_of_a_region) {
    MXK_CHECK(!comes_through(2, short_patience));
    MXK_CHECK(comes_through(std::uint64_t{1} << 63, long_patience));
}

} // namespace
} // namespace mxk
