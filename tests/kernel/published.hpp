// Readers and writers of one pointer, whose objects are poisoned when they are given back: so that a reader who still
// uses one finds it out.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kernel/memory/per_core.hpp"
#include "kernel/sync/rcu/callback.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/thread.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

// An object is found by way of `current` until another one takes its place; it is poisoned when it is reclaimed, and
// used again later. Of each writer some hundred.
struct Published {
    static constexpr std::uint32_t valid = 0x900d;
    static constexpr std::uint32_t poison = 0xdead;
    struct Object : rcu::Callback {
        std::atomic<std::uint32_t> value{poison};
        std::atomic<bool> is_free{true};
        std::atomic<std::size_t>* reclaimed = nullptr;
    };
    std::atomic<Object*> current{nullptr};
    std::atomic<std::size_t> wrong{0};

    void read(std::size_t steps) {
        read(steps, [] {});
    }
    // pause(): in the middle of it, with the object in hand.
    template <typename Pause> void read(std::size_t steps, Pause pause) {
        Object const* const object = current.load(std::memory_order_acquire);
        if (object == nullptr) return;
        check(*object, steps);
        pause();
        check(*object, steps);
    }
    void check(Object const& object, std::size_t steps) {
        for (std::size_t i = 0; i < steps; ++i)
            if (object.value.load(std::memory_order_relaxed) != valid) wrong.fetch_add(1, std::memory_order_relaxed);
    }
    // False: none of these is free.
    template <typename Use, typename Objects>
    bool replace(Use const& use, Objects& objects, std::atomic<std::size_t>& reclaimed) {
        for (Object& object : objects) {
            if (!object.is_free.load(std::memory_order_acquire)) continue;
            object.is_free.store(false, std::memory_order_relaxed);
            object.value.store(valid, std::memory_order_relaxed);
            object.reclaimed = &reclaimed;
            retire(use, current.exchange(&object, std::memory_order_acq_rel));
            return true;
        }
        return false;
    }
    template <typename Use> static void retire(Use const& use, Object* object) {
        if (object == nullptr) return;
        object->function = [](rcu::Callback& self) {
            auto& it = static_cast<Object&>(self);
            it.value.store(poison, std::memory_order_relaxed);
            std::atomic<std::size_t>& reclaimed = *it.reclaimed;
            it.is_free.store(true, std::memory_order_release); // it may be another writer's from here on
            // The last access: the test ends, and objects and counter with it, when all are counted.
            reclaimed.fetch_add(1, std::memory_order_release);
        };
        use.call(*object);
    }
};

// Tasks and threads read, tasks and threads replace, each on every core. How often a reader has found what was given
// back. Use: with ThreadSection and TaskSection, the sections of both, and call(callback).
template <typename Use> std::size_t read_and_write(Use const& use, std::size_t replacements_per_writer) {
    constexpr std::size_t objects_per_writer = 40;
    Published published;
    std::atomic<std::size_t> reclaimed{0};
    std::atomic<std::size_t> replaced{0};
    std::atomic<std::size_t> writers_left{2 * workers::count()};
    using Objects = std::array<Published::Object, objects_per_writer>;
    auto objects = NodeVector<Objects>::create(2 * workers::count(), Worker::current().node());
    MXK_CHECK(objects.ok());
    if (!objects) return 0;
    for (std::size_t i = 0; i < 2 * workers::count(); ++i) objects.value().emplace();
    {
        Noise const noise(2000);
        auto read = [&] {
            while (writers_left.load(std::memory_order_relaxed) != 0) {
                typename Use::ThreadSection const section;
                published.read(50, &this_thread::yield); // others run, and replace it
            }
        };
        auto next_objects = std::atomic<std::size_t>{0};
        auto write = [&] {
            Objects& mine = objects.value()[next_objects.fetch_add(1)];
            for (std::size_t done = 0; done < replacements_per_writer;) {
                if (!published.replace(use, mine, reclaimed)) {
                    this_thread::yield();
                    continue;
                }
                ++done;
                replaced.fetch_add(1, std::memory_order_relaxed);
            }
            writers_left.fetch_sub(1);
        };
        ThreadGroup group(2 * workers::count());
        for (std::size_t i = 0; i < workers::count(); ++i) {
            group.start({.core = core_id(i), .name = "reader", .slice = Nanoseconds{100'000}}, read);
            group.start({.core = core_id(i), .name = "writer", .slice = Nanoseconds{100'000}}, write);
        }
        auto left = PerCore<std::size_t>::create(system_topology().cores, [&] { return replacements_per_writer; });
        MXK_CHECK(left.ok());
        bool const ran = left.ok() && run_on(all_cores().span(), [&](Worker&, std::size_t place) {
                             {
                                 [[maybe_unused]] typename Use::TaskSection const section;
                                 published.read(20);
                             }
                             Objects& mine = objects.value()[workers::count() + place];
                             if (!published.replace(use, mine, reclaimed)) return Step::Again;
                             replaced.fetch_add(1, std::memory_order_relaxed);
                             {
                                 [[maybe_unused]] typename Use::TaskSection const section;
                                 published.read(20);
                             }
                             if (--left.value()[place] != 0) return Step::Again;
                             writers_left.fetch_sub(1);
                             return Step::Done;
                         });
        MXK_CHECK(ran);
        group.join();
    }
    Published::retire(use, published.current.exchange(nullptr));
    wait_until([&] { return reclaimed.load() >= replaced.load(); });
    MXK_CHECK_EQUAL(reclaimed.load(), replaced.load());
    MXK_CHECK_EQUAL(replaced.load(), 2 * workers::count() * replacements_per_writer);
    return published.wrong.load();
}

} // namespace mxk
