// The fabrics that locks are written against: words of all widths, for one memory and one-sided; made-up topologies;
// and how long records live.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "arch/machine.hpp"
#include "base/inject.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/simulated_workers.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/fabric/stored_topology.hpp"
#include "locks/lock_kind.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/made_lock.hpp"
#include "tests/kernel/made_up_nodes.hpp"

namespace mxk {
namespace {

std::uint64_t operations() {
    return arch::describe_machine().is_emulated() || inject::enabled ? 2'000 : 100'000;
}

template <typename F, typename V> struct Words {
    typename F::template Word<V> added{0};
    typename F::template Word<V> compared{0};
    typename F::template Word<V> swapped{0};
};

// All operations of all cores on words of one width: nothing is lost. What is swapped out is what others have swapped
// in.
template <typename F, typename V> void check_words(typename F::Site const& site) {
    using All = Words<F, V>;
    typename F::template Home<All> home(site);
    auto const cores = all_cores();
    std::uint64_t const count = operations();
    std::atomic<std::uint64_t> put_in{0};
    std::atomic<std::uint64_t> got_out{0};
    MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t place) {
        std::uint64_t in = 0;
        std::uint64_t out = 0;
        auto&& compared = home.far(&All::compared);
        for (std::uint64_t i = 0; i < count; ++i) {
            home.far(&All::added).add(V{1});
            for (V seen = compared.read();;) {
                V const found = compared.cas(seen, static_cast<V>(seen + 3));
                if (found == seen) break;
                seen = found;
            }
            V const own = static_cast<V>(i * 8 + place);
            in += own;
            out += home.far(&All::swapped).swap(own);
        }
        put_in.fetch_add(in, std::memory_order_relaxed);
        got_out.fetch_add(out, std::memory_order_relaxed);
        return Step::Done;
    }));
    std::uint64_t const all = count * cores.size();
    MXK_CHECK_EQUAL(home.far(&All::added).read(), static_cast<V>(all));
    MXK_CHECK_EQUAL(home.far(&All::compared).read(), static_cast<V>(3 * all));
    MXK_CHECK_EQUAL(got_out.load() + home.far(&All::swapped).read(), put_in.load());
    home.far(&All::added).put(std::numeric_limits<V>::max());
    home.far(&All::compared).acc(V{7});
    MXK_CHECK_EQUAL(home.far(&All::added).read(), std::numeric_limits<V>::max());
    MXK_CHECK_EQUAL(home.far(&All::compared).read(), V{7});
}
template <typename F> void check_all_widths(typename F::Site const& site) {
    check_words<F, std::uint8_t>(site);
    check_words<F, std::uint16_t>(site);
    check_words<F, std::uint32_t>(site);
    check_words<F, std::uint64_t>(site);
}

MXK_TEST(fabric, words_of_one_memory_lose_nothing) {
    check_all_widths<locks::Smp>(locks::SmpSite());
}
MXK_TEST(fabric, words_of_emulated_regions_lose_nothing) {
    auto const cores = all_cores();
    MadeUpNodes made(cores.span(), cores.size() < 2 ? 1 : 2, 4 * KiB);
    MXK_REQUIRE(made.is_there());
    check_all_widths<locks::OneSided>(locks::OneSided::Site(made.emulated()));
}
// What operations take in a simulation: of two nodes, where the home is the first one's.
class CardUse {
  public:
    static constexpr Nanoseconds near_latency{7}; // too short to vary
    static constexpr Nanoseconds service{100};
    explicit CardUse(std::span<CoreId const> cores)
        : workers_(cores)
        , made_(cores, 2, 4 * KiB, {.latency = {}, .near_latency = near_latency, .service = service}) {}
    [[nodiscard]] bool is_there() const { return made_.is_there(); }

    // body(word of the home, workers, place) by each worker; a body gives the time when it is done.
    template <typename Body> std::array<std::uint64_t, 4> ends(Body body) {
        std::array<std::uint64_t, 4> ends{};
        made_.emulated().forget_locks();
        locks::OneSided::Home<All> const home{locks::OneSided::Site(made_.emulated())};
        auto const ended = SimulatedWorkers::run(workers_, [&](std::size_t place) {
            SimulatedWorkers& all = *SimulatedWorkers::current();
            body(home.far(&All::added), all, place);
            ends[place] = raw(all.now());
        });
        MXK_CHECK(ended.ok());
        return ends;
    }

  private:
    using All = Words<locks::OneSided, std::uint32_t>;
    using SimulatedWorkers = locks::SimulatedWorkers;
    std::span<CoreId const> workers_;
    MadeUpNodes made_;
};

MXK_TEST(fabric, a_network_card_serves_one_operation_after_the_other) {
    auto const cores = all_cores();
    if (cores.size() < 4) MXK_SKIP("needs two nodes of two workers");
    CardUse use(cores.span().first(4));
    MXK_REQUIRE(use.is_there());
    // All come at the same time. Those of the home's node do not go through its card.
    auto const together = use.ends([](auto word, auto&, std::size_t) { word.add(1); });
    MXK_CHECK(together == (std::array<std::uint64_t, 4>{7, 7, 100, 200}));
}
MXK_TEST(fabric, who_polls_delays_a_release_by_its_service) {
    auto const cores = all_cores();
    if (cores.size() < 4) MXK_SKIP("needs two nodes of two workers");
    for (bool const somebody_polls : {false, true}) {
        CardUse use(cores.span().first(4)); // a card that nobody has used
        MXK_REQUIRE(use.is_there());
        auto const ends = use.ends([&](auto word, auto& all, std::size_t place) {
            if (place == 2) {
                all.pass(Nanoseconds{250});
                word.acc(1);
            } else if (place == 3 && somebody_polls) {
                while (word.read() == 0) {
                }
            }
        });
        // The third poll is being served: from 200 to 300. The fourth one waits for the release, and sees it.
        MXK_CHECK_EQUAL(ends[2], somebody_polls ? 400U : 350U);
        MXK_CHECK_EQUAL(ends[3], somebody_polls ? 500U : 0U);
    }
}
MXK_TEST(fabric, at_a_barrier_all_clocks_show_the_latest_time) {
    auto const cores = all_cores();
    std::uint64_t order = 0;
    auto const ended = locks::SimulatedWorkers::run(cores.span(), [&](std::size_t place) {
        auto& all = *locks::SimulatedWorkers::current();
        all.pass(Nanoseconds{100 - place}); // the last one comes first
        MXK_CHECK_EQUAL(order++, cores.size() - 1 - place);
        all.barrier();
        MXK_CHECK_EQUAL(raw(all.now()), 100U);
        MXK_CHECK_EQUAL(all.self(), index(cores[place]));
    });
    MXK_CHECK(ended.ok());
    MXK_CHECK_EQUAL(order, cores.size());
    MXK_CHECK(locks::SimulatedWorkers::current() == nullptr);
}

MXK_TEST(fabric, regions_that_are_full_are_said_to_be) {
    auto const cores = all_cores();
    MadeUpNodes made(cores.span(), 1, 256);
    MXK_REQUIRE(made.is_there());
    locks::OneSided::Site const site(made.emulated());
    using Home = locks::OneSided::Home<Words<locks::OneSided, std::uint32_t>>; // three lines
    { Home const fits(site); }
    MXK_CHECK(!made.emulated().has_failed());
    { Home const is_too_much(site); }
    MXK_CHECK(made.emulated().has_failed());
    made.emulated().forget_locks();
    MXK_CHECK(!made.emulated().has_failed());
}

MXK_TEST(fabric, made_up_nodes_have_equal_parts_of_the_workers) {
    auto const cores = all_cores();
    for (std::size_t nodes = 1; nodes <= cores.size() && nodes <= 4; ++nodes) {
        auto const topology = locks::StoredTopology::made_up(cores.span(), nodes);
        MXK_REQUIRE(topology.ok());
        auto const view = topology.value().view();
        MXK_CHECK_EQUAL(view.groups(locks::Level::Node), nodes);
        for (std::uint32_t node = 0; node < nodes; ++node) {
            std::size_t workers = 0;
            for (locks::WorkerNumber i = 0; i < cores.size(); ++i) {
                if (view.node_of(i) != node) continue;
                ++workers;
                auto const cache = view.group_of(locks::Level::Cache, i);
                MXK_CHECK_EQUAL(view.node_of(view.first_of(locks::Level::Cache, cache)), node);
            }
            MXK_CHECK(workers == cores.size() / nodes || workers == (cores.size() + nodes - 1) / nodes);
            MXK_CHECK_EQUAL(view.node_of(view.first_of(locks::Level::Node, node)), node);
        }
    }
    MXK_CHECK(!locks::StoredTopology::made_up(cores.span(), cores.size() + 1).ok());
    MXK_CHECK(!locks::StoredTopology::made_up(cores.span(), 0).ok());
}

// Locks come and go while the memory stays a lock's, as locks that grant ahead need it.
MXK_TEST(fabric, locks_are_made_and_destroyed_again_and_again) {
    auto const cores = all_cores();
    auto const topology = locks::StoredTopology::of_machine();
    MXK_REQUIRE(topology.ok());
    auto const view = topology.value().view();
    bool has_failed = false;
    locks::SmpSite const site(view, has_failed);
    for (locks::LockKind const* const kind : locks::registered_lock_kinds()) {
        if (!kind->forms.smp.is_there()) continue;
        for (int round = 0; round < 8; ++round) {
            MadeLock lock(kind->forms.smp, &site, cores.size());
            MXK_REQUIRE(lock.is_there() && !has_failed);
            std::uint64_t sections = 0;
            MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t place) {
                for (int i = 0; i < 4; ++i) {
                    lock.lock(place);
                    ++sections;
                    lock.unlock(place);
                }
                return Step::Done;
            }));
            MXK_CHECK_EQUAL(sections, 4 * cores.size());
        }
    }
}

} // namespace
} // namespace mxk
