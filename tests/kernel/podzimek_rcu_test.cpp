// Podzimek's RCU (bench/rcu/podzimek_rcu.hpp) with a reader on each core, who is preempted in its sections.
#include <algorithm>
#include <array>
#include <atomic>

#include "arch/machine.hpp"
#include "bench/rcu/podzimek_rcu.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/resident.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk::bench {
namespace {

// Plain: under TSan a reader that is too late is a race.
struct PodzimekObject {
    int value = 1;
};

struct PodzimekUse {
    PodzimekRcu rcu;
    std::array<PodzimekObject, 2> objects;
    std::atomic<PodzimekObject*> current{&objects[0]};
    std::atomic<bool> stopped{false};
    std::atomic<int> wrong{0};

    // Replaces the object, and spoils the one before once nobody should be using it.
    void replace(bool is_expedited) {
        PodzimekObject& old = *current.load(std::memory_order_relaxed);
        PodzimekObject& next = &old == &objects[0] ? objects[1] : objects[0];
        next.value = 1;
        current.store(&next, std::memory_order_release); // pairs with the reader's load
        MXK_CHECK(rcu.synchronize(is_expedited).ok());
        old.value = 0;
        MXK_CHECK(this_thread::sleep_for(Nanoseconds{50'000}).ok()); // for who still reads it
    }
};

struct PodzimekReading {
    void operator()() {
        PodzimekRcu::Reader& reader = use->rcu.reader(place);
        while (!use->stopped.load(std::memory_order_relaxed)) {
            for (int section = 0; section < 20; ++section) {
                reader.enter();
                PodzimekObject const* const object = use->current.load(std::memory_order_acquire);
                reader.enter();
                for (int i = 0; i < 50 * section; ++i) {
                    if (object->value != 1) use->wrong.fetch_add(1, std::memory_order_relaxed);
                    asm volatile("" ::: "memory");
                }
                reader.leave();
                reader.leave();
            }
            this_thread::yield();
        }
    }
    PodzimekUse* use;
    std::size_t place;
};

MXK_TEST(podzimek_rcu, what_was_unlinked_outlasts_its_readers) {
    PodzimekUse use;
    auto const cores = all_cores();
    MXK_REQUIRE(use.rcu.prepare(cores.span()).ok());
    auto readings = NodeVector<PodzimekReading>::create(cores.size(), node_id(0));
    MXK_CHECK(readings.ok());
    // An emulator's cores share the host's, so that one waits long for another: all readers of more than four cores
    // together meet as many grace periods as those of four.
    bool const is_crowded = arch::describe_machine().is_emulated() && cores.size() > 4;
    int const times = is_crowded ? std::max(800 / static_cast<int>(cores.size()), 20) : 200;
    auto write = [&] {
        for (int time = 0; time < times; ++time) use.replace(time % (times / 4) != 0);
        use.stopped.store(true);
    };
    ThreadGroup group(cores.size() + 1);
    for (std::size_t place = 0; place < cores.size(); ++place)
        group.start({.core = cores[place], .name = "reader", .slice = Nanoseconds{200'000}},
                    readings.value().emplace(&use, place));
    group.start({.core = core_id(0), .name = "writer"}, write);
    group.join();
    MXK_CHECK_EQUAL(use.wrong.load(), 0);
    for (PodzimekRcu::Reader const& reader : use.rcu.readers()) MXK_CHECK(!reader.is_inside());
}

MXK_TEST(podzimek_rcu, waits_for_a_reader_who_was_taken_away) {
    PodzimekUse use;
    auto const cores = all_cores();
    MXK_REQUIRE(use.rcu.prepare(cores.span()).ok());
    Resident reader;
    std::atomic<bool> is_over{false};
    auto read = [&] {
        use.rcu.reader(cores.size() - 1).enter();
        reader.stay(1); // for many slices
        use.rcu.reader(cores.size() - 1).leave();
    };
    auto wait = [&] {
        use.replace(true);
        is_over.store(true);
    };
    ThreadGroup group(2);
    group.start({.core = cores[cores.size() - 1], .name = "reader"}, read);
    reader.await(1);
    group.start({.core = core_id(0), .name = "waiter"}, wait);
    Cycles const until = clock::timestamp() + clock::to_cycles(Nanoseconds{30'000'000});
    wait_until([&] { return clock::timestamp() >= until; });
    MXK_CHECK(!is_over.load());
    reader.let_go();
    group.join();
    MXK_CHECK(is_over.load());
}

} // namespace
} // namespace mxk::bench
