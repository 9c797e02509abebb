// Frames (after HelenOS's falloc1 and falloc2): all counts of them can be had, again and again; nobody else writes to
// them; none is left, and all is there again afterwards.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/workload/random.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/barrier.hpp"
#include "tests/kernel/all_memory.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

constexpr std::size_t one_frame = FrameAllocator::frame_bytes;
constexpr std::size_t max_frames = 1024;

std::size_t used_of_all_nodes() {
    std::size_t used = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
    return used;
}

// Up to 1024 frames in blocks of `count`: how many blocks there were. Each knows its number at both ends.
std::size_t take_and_give_back(std::span<memory::Block> blocks, std::size_t count, NodeId node) {
    std::size_t taken = 0;
    for (; taken < max_frames / count; ++taken) {
        auto const block = memory::allocate(count * one_frame, one_frame, node);
        if (!block) break;
        blocks[taken] = block.value();
        auto* const words = reinterpret_cast<std::uint64_t*>(block.value().address);
        MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(words), one_frame));
        words[0] = taken;
        words[count * one_frame / 8 - 1] = ~std::uint64_t{taken};
    }
    for (std::size_t i = 0; i < taken; ++i) {
        auto const* const words = reinterpret_cast<std::uint64_t const*>(blocks[i].address);
        MXK_CHECK_EQUAL(words[0], i);
        MXK_CHECK_EQUAL(words[count * one_frame / 8 - 1], ~std::uint64_t{i});
    }
    for (std::size_t i = 0; i < taken; ++i) memory::free(blocks[i]);
    return taken;
}

void take_all_counts(std::size_t step) {
    for (std::size_t i = 0; i < memory::node_count(); ++i) {
        auto const blocks = NodeArray<memory::Block>::create(max_frames, node_id(i));
        MXK_CHECK(blocks.ok());
        if (!blocks) return;
        std::size_t const used = used_of_all_nodes();
        for (std::size_t count = 1; count <= max_frames; count += step) {
            std::size_t const first = take_and_give_back(blocks.value().span(), count, node_id(i));
            MXK_CHECK(first > 0);
            MXK_CHECK_EQUAL(take_and_give_back(blocks.value().span(), count, node_id(i)), first);
        }
        MXK_CHECK_EQUAL(used_of_all_nodes(), used);
    }
}

MXK_TEST(falloc1, some_counts_of_frames_can_be_had_twice) {
    take_all_counts(31); // 1 to 1024: a remainder of 1
}

MXK_LONG_TEST(falloc1, all_counts_of_frames_can_be_had_twice) {
    take_all_counts(1);
}

// What the threads of a run share. While all of them live, nothing comes and goes but their blocks, and what a core
// takes for good when it tells another one something for the first time.
struct FilledMemory {
    explicit FilledMemory(std::size_t threads)
        : all(static_cast<std::uint32_t>(threads)) {}
    Barrier all;
    std::size_t used_before = 0;
    std::size_t used_after = 0;
};

// Takes blocks of random sizes, fills them, and looks at them before it gives each back.
class Filler {
  public:
    Filler(std::uint64_t seed, std::size_t rounds, FilledMemory& shared)
        : random_(seed)
        , rounds_(rounds)
        , shared_(shared) {}
    void operator()() {
        if (shared_.all.arrive_and_wait()) shared_.used_before = used_of_all_nodes();
        shared_.all.arrive_and_wait();
        fill();
        if (shared_.all.arrive_and_wait()) shared_.used_after = used_of_all_nodes();
        shared_.all.arrive_and_wait();
    }
    [[nodiscard]] std::size_t filled() const { return filled_; }

  private:
    void fill() {
        for (std::size_t round = 0; round < rounds_; ++round) {
            Place& place = places_[random_.below(places_.size())];
            give_back(place);
            take(place);
            if (random_.below(4) == 0) this_thread::yield();
        }
        for (Place& place : places_) give_back(place);
    }
    struct Place {
        memory::Block block{};
        std::uint64_t pattern = 0; // 0: no block
    };
    static std::span<std::uint64_t> words_of(Place const& place) {
        return {reinterpret_cast<std::uint64_t*>(place.block.address), place.block.bytes / 8};
    }
    void take(Place& place) {
        auto const block = memory::allocate(one_frame * (1 + random_.below(8)), one_frame,
                                            node_id(random_.below(memory::node_count())));
        MXK_CHECK(block.ok());
        if (!block) return;
        place = {block.value(), random_.next() | 1};
        std::ranges::fill(words_of(place), place.pattern);
        ++filled_;
    }
    static void give_back(Place& place) {
        if (place.pattern == 0) return;
        MXK_CHECK(std::ranges::all_of(words_of(place), [&](std::uint64_t word) { return word == place.pattern; }));
        memory::free(place.block);
        place.pattern = 0;
    }

    bench::Random random_;
    std::size_t rounds_;
    FilledMemory& shared_;
    std::array<Place, 16> places_{};
    std::size_t filled_ = 0;
};

// Threads, two on each of several cores, so that they are preempted in the middle. Whether as much memory is used
// afterwards as before.
bool fill_frames(std::uint64_t seed, std::size_t rounds) {
    std::size_t const threads = 2 * std::min<std::size_t>(workers::count(), 8);
    auto fillers = NodeVector<Filler>::create(threads, Worker::current().node());
    MXK_CHECK(fillers.ok());
    if (!fillers) return false;
    FilledMemory shared(threads);
    ThreadGroup group(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group.start({.core = core_id(i % workers::count()), .name = "filler", .slice = Nanoseconds{100'000}},
                    fillers.value().emplace(seed * threads + i, rounds, shared));
    group.join();
    for (Filler const& filler : fillers.value()) MXK_CHECK_EQUAL(filler.filled(), rounds);
    return shared.used_after == shared.used_before;
}

// What others take once for good, such as a mailbox's first memory, is taken in some run; then nothing is lost in so
// many runs in a row.
void check_fillers(std::uint64_t wanted, std::size_t rounds) {
    std::uint64_t const seed = inner_tests::seed();
    constexpr std::uint64_t others = 10;
    std::uint64_t in_a_row = 0;
    for (std::uint64_t run = 0; run < wanted + others && in_a_row < wanted; ++run)
        in_a_row = fill_frames(seed + run, rounds) ? in_a_row + 1 : 0;
    MXK_CHECK_EQUAL(in_a_row, wanted);
}

MXK_TEST(falloc2, threads_find_their_patterns_in_their_frames) {
    check_fillers(5, 100);
}

MXK_LONG_TEST(falloc2, threads_find_their_patterns_in_their_frames_for_long) {
    check_fillers(10, 2000);
}

// A WARN for nodes that are helped out by others may come of it.
MXK_TEST(falloc2, all_memory_can_be_taken_and_is_there_again) {
    std::size_t const used = used_of_all_nodes();
    for (int round = 0; round < 2; ++round) {
        AllMemory all;
        all.take();
        for (std::size_t i = 0; i < memory::node_count(); ++i) {
            memory::NodeUse const use = memory::use(node_id(i));
            MXK_CHECK_EQUAL(use.used, use.total);
            auto const none = memory::allocate(1, 1, node_id(i));
            MXK_CHECK(!none.ok());
        }
        MXK_CHECK(!Thread::create(
                       {.name = "homeless"}, [](void*) {}, nullptr)
                       .ok() ||
                  !Thread::has_slices());
        all.give_back(one_frame);
        auto const some = memory::allocate(one_frame, one_frame, node_id(0));
        MXK_CHECK(some.ok());
        if (some) memory::free(some.value());
    }
    MXK_CHECK_EQUAL(used_of_all_nodes(), used);
    auto const again = memory::allocate(2 * MiB, 2 * MiB, node_id(0));
    MXK_CHECK(again.ok());
    if (again) memory::free(again.value());
}

} // namespace
} // namespace mxk
