// The heap (kernel/memory/heap) on the machine's cores: objects of all sizes that any core frees, memory that runs out,
// threads, `new`.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "arch/machine.hpp"
#include "base/inject.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/zones.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/all_memory.hpp"
#include "tests/kernel/thread_group.hpp"

// bench/heap/own_way.cpp
extern "C" void* mxk_heap_allocate(std::size_t bytes);
extern "C" void mxk_heap_deallocate(void* object, std::size_t bytes);

namespace mxk {
namespace {

MXK_TEST(heap, the_functions_that_are_looked_at_do_what_they_say) {
    for (std::size_t const bytes : {std::size_t{1}, std::size_t{500}, 100 * KiB}) {
        void* const object = mxk_heap_allocate(bytes);
        MXK_CHECK(object != nullptr);
        if (object != nullptr) mxk_heap_deallocate(object, bytes);
    }
}

// An object that knows its size, and whether it was overwritten.
class Marked {
  public:
    static constexpr std::size_t min_bytes = 16;

    static Marked* make(std::size_t bytes) {
        void* const place = heap::allocate(bytes);
        return place != nullptr ? new (place) Marked(bytes) : nullptr;
    }
    // False: it is not as it was made. It is freed all the same where its size can be trusted.
    static bool destroy(Marked& object) {
        if (object.mark_ != object.mark_of(object.bytes_)) return false;
        std::size_t const bytes = object.bytes_;
        bool const is_whole = bytes < 3 * sizeof(std::uint64_t) || object.last_word() == object.mark_;
        object.mark_ = 0;
        heap::deallocate(&object, bytes);
        return is_whole;
    }

  private:
    explicit Marked(std::size_t bytes)
        : bytes_(bytes)
        , mark_(mark_of(bytes)) {
        if (bytes >= 3 * sizeof(std::uint64_t)) last_word() = mark_;
    }
    [[nodiscard]] std::uint64_t mark_of(std::size_t bytes) const {
        return (reinterpret_cast<std::uintptr_t>(this) ^ bytes) * 0x9e37'79b9'7f4a'7c15;
    }
    [[nodiscard]] std::uint64_t& last_word() {
        return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(this) + align_down(bytes_, 8) - 8);
    }

    std::uint64_t bytes_;
    std::uint64_t mark_;
};

std::uint64_t next_random(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

std::size_t random_size(std::uint64_t& random) {
    std::uint64_t const kind = next_random(random) % 1000;
    std::size_t const limit = kind < 900 ? 512 : kind < 995 ? 8 * KiB : kind < 999 ? 100 * KiB : 700 * KiB;
    return Marked::min_bytes + next_random(random) % limit;
}

// Steps of all cores together: each makes an object, leaves it at a place that all share, and frees what it finds
// there, which somebody else may have made.
class Exchange {
  public:
    explicit Exchange(std::uint64_t steps)
        : steps_of_each_(steps / workers::count())
        , places_(NodeArray<std::atomic<Marked*>>::create_zeroed(place_count, node_id(0))) {
        MXK_CHECK(places_.ok());
    }

    void run() {
        if (!places_) return;
        auto const cores = all_cores();
        MXK_CHECK(run_on(cores.span(), [&](Worker&, std::size_t place) { return step(place); }));
        for (std::atomic<Marked*>& place : places_.value().span()) free_at(place);
        MXK_CHECK_EQUAL(wrong_.load(std::memory_order_relaxed), 0U);
        MXK_CHECK_EQUAL(missing_.load(std::memory_order_relaxed), 0U);
    }

  private:
    static constexpr std::size_t place_count = 1024;
    struct alignas(cache_line_bytes) Core {
        std::uint64_t random = 0;
        std::uint64_t done = 0;
    };

    Step step(std::size_t place) {
        Core& core = cores_[place % cores_.size()];
        if (core.random == 0) core.random = inner_tests::seed() * 0x9e37'79b9 + place + 1;
        for (int i = 0; i < 64; ++i) {
            if (core.done++ == steps_of_each_) return Step::Done;
            Marked* const object = Marked::make(random_size(core.random));
            if (object == nullptr) missing_.fetch_add(1, std::memory_order_relaxed);
            auto& shared = places_.value()[next_random(core.random) % place_count];
            // acq_rel: the object comes with what its maker wrote.
            free_one(shared.exchange(object, std::memory_order_acq_rel));
        }
        return Step::Again;
    }
    void free_at(std::atomic<Marked*>& place) { free_one(place.exchange(nullptr, std::memory_order_acquire)); }
    void free_one(Marked* object) {
        if (object != nullptr && !Marked::destroy(*object)) wrong_.fetch_add(1, std::memory_order_relaxed);
    }

    std::uint64_t steps_of_each_;
    Result<NodeArray<std::atomic<Marked*>>> places_;
    std::array<Core, 256> cores_{};
    std::atomic<std::uint64_t> wrong_{0};
    std::atomic<std::uint64_t> missing_{0};
};

bool is_emulated() {
    return arch::describe_machine().is_emulated();
}

// What is live afterwards is what was before.
void exchange(std::uint64_t steps) {
    MXK_CHECK(run_on(all_cores().span(), [](Worker&, std::size_t) { return Step::Done; })); // pools have its tasks
    heap::trim_all();
    std::uint64_t const live = heap::counts().live_bytes;
    auto room = NodeArray<Exchange>::create(1, node_id(0)); // larger than a stack likes
    MXK_CHECK(room.ok());
    if (!room) return;
    auto* const exchange = new (static_cast<void*>(room.value().data())) Exchange(steps);
    exchange->run();
    exchange->~Exchange();
    heap::trim_all();
    heap::HeapCounts const counts = heap::counts();
    MXK_CHECK_EQUAL(counts.live_bytes, live);
    MXK_CHECK_EQUAL(counts.parked_bytes, 0U);
}

MXK_TEST(heap, objects_are_freed_on_any_core_and_none_is_lost) {
    bool const is_slow = inject::enabled || Worker::current().polling_time() == Nanoseconds{0};
    exchange(is_emulated() ? 20'000 : is_slow ? 1'000'000 : 10'000'000);
}
MXK_LONG_TEST(heap, objects_are_freed_on_any_core_and_none_is_lost_long) {
    exchange(1'000'000'000);
}

MXK_TEST(heap, with_delays_where_cores_meet) {
    if (!inject::enabled) MXK_SKIP("this build injects no delays");
    InjectDelays const delays;
    exchange(is_emulated() ? 10'000 : 100'000);
}

// The checks look at what was written after it was freed: what has another alignment begins elsewhere.
MXK_TEST(heap, memory_is_taken_again_with_another_alignment) {
    for (std::size_t bytes = 8; bytes <= 1024; bytes += 8)
        for (std::size_t const alignment : {std::size_t{64}, heap::min_alignment, std::size_t{64}}) {
            void* const object = heap::allocate(bytes, alignment);
            MXK_CHECK(object != nullptr);
            if (object == nullptr) return;
            MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(object), alignment));
            std::memset(object, static_cast<int>(bytes & 0xff), bytes);
            heap::deallocate(object, bytes, alignment);
        }
}

MXK_TEST(heap, what_a_core_allocates_lies_on_its_node) {
    auto const cores = all_cores();
    MXK_CHECK(run_on(cores.span(), [](Worker& worker, std::size_t) {
        if (memory::use(worker.node()).total < 64 * MiB) return Step::Done; // helped out by others
        for (std::size_t bytes = 16; bytes < 4 * MiB; bytes *= 3) {
            void* const object = heap::allocate(bytes);
            MXK_CHECK(object != nullptr && memory::node_of(object) == worker.node());
            if (object != nullptr) heap::deallocate(object, bytes);
        }
        return Step::Done;
    }));
}

// What one core allocates and another frees: the owner is told, and takes it back, though it allocates nothing.
MXK_TEST(heap, an_owner_is_told_that_much_came_back) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    constexpr std::size_t bytes = 4 * KiB;
    constexpr std::size_t count = 1024; // 4 MiB
    auto objects = NodeArray<void*>::create(count, Worker::current().node());
    MXK_CHECK(objects.ok());
    if (!objects) return;
    for (void*& object : objects.value().span()) {
        object = heap::allocate(bytes);
        MXK_CHECK(object != nullptr);
    }
    std::size_t const drains = Worker::current().heap().use().drains;
    CoreId const other = last_core();
    MXK_CHECK(run_on(std::span(&other, 1), [&](Worker&, std::size_t) {
        for (void* const object : objects.value().span()) heap::deallocate(object, bytes);
        return Step::Done;
    }));
    Worker::current().attend_now(); // the other core may have been done first
    heap::CoreUse const use = Worker::current().heap().use();
    MXK_CHECK(use.drains > drains);
    MXK_CHECK(use.parked <= heap::CoreHeap::max_parked_bytes + heap::CoreHeap::batch_bytes);
}

MXK_TEST(heap, threads_allocate_and_free_too) {
    constexpr std::size_t threads = 8;
    std::atomic<std::uint32_t> wrong{0};
    auto body = [&wrong] {
        std::uint64_t random = 88'172'645'463'325'252;
        std::array<Marked*, 64> objects{};
        for (int i = 0; i < 2'000; ++i) {
            Marked*& object = objects[next_random(random) % objects.size()];
            if (object != nullptr && !Marked::destroy(*object)) wrong.fetch_add(1, std::memory_order_relaxed);
            object = Marked::make(Marked::min_bytes + next_random(random) % 2'000);
            if (object == nullptr) wrong.fetch_add(1, std::memory_order_relaxed);
        }
        for (Marked* const object : objects)
            if (object != nullptr && !Marked::destroy(*object)) wrong.fetch_add(1, std::memory_order_relaxed);
    };
    heap::trim_all();
    std::uint64_t const live = heap::counts().live_bytes;
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group.start({.core = core_id(i % workers::count()), .slice = microseconds(100)}, body);
    group.join();
    MXK_CHECK_EQUAL(wrong.load(std::memory_order_relaxed), 0U);
    heap::trim_all();
    MXK_CHECK(heap::counts().live_bytes <= live + 64 * KiB); // what the threads themselves are made of may stay
}

struct Numbered {
    explicit Numbered(int its_number)
        : number(its_number) {}
    virtual ~Numbered() = default;
    int number;
};
struct alignas(128) Wide : Numbered {
    explicit Wide(int its_number)
        : Numbered(its_number) {}
    std::array<std::uint64_t, 32> words{};
};

MXK_TEST(heap, new_and_delete_are_there) {
    std::unique_ptr<Numbered> const plain(new (std::nothrow) Numbered(1));
    std::unique_ptr<Numbered> const wide(new (std::nothrow) Wide(2)); // deleted by its base
    auto const many = std::unique_ptr<std::uint64_t[]>(new (std::nothrow) std::uint64_t[1000]());
    MXK_CHECK(plain != nullptr && plain->number == 1);
    MXK_CHECK(wide != nullptr && wide->number == 2);
    MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(wide.get()), alignof(Wide)));
    MXK_CHECK_EQUAL(many[999], 0U);
}

// Item 33 of the list in docs/dataflow-checklist.md: as many as Linux has no mappings for.
void hold_large_objects(std::size_t count) {
    constexpr std::size_t bytes = 512 * KiB; // the smallest ones that are mapped directly
    auto objects = NodeArray<void*>::create(count, node_id(0));
    MXK_CHECK(objects.ok());
    if (!objects) return;
    std::size_t made = 0;
    for (void*& object : objects.value().span()) {
        object = heap::allocate(bytes);
        if (object == nullptr) break;
        ++made;
    }
    MXK_CHECK_EQUAL(made, count);
    for (void* const object : objects.value().span().first(made)) heap::deallocate(object, bytes);
}
MXK_TEST(heap, large_objects_are_many) {
    std::size_t const fit = memory::largest_free_block(node_id(0)) / (1 * MiB);
    // Under sanitizers each byte is written when it is freed, and has four of the sanitizer's beside it.
    hold_large_objects(std::min<std::size_t>(fit, is_emulated() ? 100 : heap::is_checked ? 1'000 : 10'000));
}
MXK_LONG_TEST(heap, a_hundred_thousand_large_objects_live_at_once) {
    std::size_t free = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i)
        free += memory::use(node_id(i)).total - memory::use(node_id(i)).used;
    if (free < 52 * GiB) MXK_SKIP("needs 52 GiB of memory that is free (on Linux, reserved: --memory)");
    hold_large_objects(100'000);
}

// Objects of one size until there are no more: how many. They go back.
std::size_t exhaust(std::size_t bytes) {
    struct Link {
        Link* next;
    };
    Link* newest = nullptr;
    std::size_t count = 0;
    for (; void* const place = heap::allocate(bytes); ++count) newest = new (place) Link{newest};
    while (newest != nullptr) {
        Link* const next = newest->next;
        heap::deallocate(newest, bytes);
        newest = next;
    }
    return count;
}

MXK_TEST(heap, memory_runs_out_and_comes_back) {
    heap::trim_all(); // so that what other sizes keep is there each time
    AllMemory all;
    all.take();
    all.give_back_until(4 * heap::superblock_bytes());
    for (std::size_t const bytes : {std::size_t{64}, std::size_t{2000}, 40 * KiB}) {
        std::size_t const first = exhaust(bytes);
        MXK_CHECK(first * bytes > heap::superblock_bytes());
        MXK_CHECK(heap::allocate(64 * heap::superblock_bytes()) == nullptr);
        Worker::current().heap().trim();
        MXK_CHECK_EQUAL(exhaust(bytes), first);
        Worker::current().heap().trim();
    }
}

} // namespace
} // namespace mxk
