// The heaps of several cores, each on a thread, which free what the others have allocated.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "arch/attention.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "tests/delays.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using namespace heap;

constexpr std::size_t core_count = 4;

// What an object is filled with, at its beginning and its end.
struct Marked {
    std::uint64_t bytes;
    std::uint64_t mark;

    static void* fill(void* object, std::size_t bytes) {
        std::uint64_t const mark = reinterpret_cast<std::uintptr_t>(object) * 0x9e37'79b9'7f4a'7c15 ^ bytes;
        *static_cast<Marked*>(object) = {bytes, mark};
        if (bytes >= 2 * sizeof(Marked))
            *reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(object) + bytes - 8) = mark;
        return object;
    }
    // How large it is; 0: it was overwritten.
    static std::size_t check(void const* object) {
        auto const [bytes, mark] = *static_cast<Marked const*>(object);
        if (mark != (reinterpret_cast<std::uintptr_t>(object) * 0x9e37'79b9'7f4a'7c15 ^ bytes)) return 0;
        if (bytes >= 2 * sizeof(Marked) &&
            *reinterpret_cast<std::uint64_t const*>(static_cast<std::byte const*>(object) + bytes - 8) != mark)
            return 0;
        return bytes;
    }
};

class HeapStressTest : public MemoryTest {
  protected:
    // Each core exchanges what it has allocated for what others have, and frees that.
    void run(std::size_t steps) {
        configure({512 * MiB, 512 * MiB});
        std::vector<std::unique_ptr<CoreHeap>> heaps;
        for (std::size_t core = 0; core < core_count; ++core)
            heaps.push_back(std::make_unique<CoreHeap>(core_id(core), node_id(core % 2)));
        std::vector<std::atomic<void*>> exchanged(512);
        std::atomic<std::size_t> wrong{0};
        std::vector<arch::CoreLocal> locals(core_count);
        arch::reserve_cores(core_count);
        std::atomic<std::size_t> begun{0};
        std::atomic<std::size_t> ended{0};
        std::vector<std::thread> threads;
        for (std::size_t core = 0; core <= core_count; ++core) {
            threads.emplace_back([&, core] {
                // The last one is no core.
                CoreHeap* const own = core < core_count ? heaps[core].get() : nullptr;
                if (own != nullptr) arch::adopt_core(locals[core], core_id(core));
                for (begun.fetch_add(1); begun.load() <= core_count;) std::this_thread::yield();
                std::mt19937_64 random(core);
                for (std::size_t i = 0; i < steps; ++i) {
                    std::size_t const bytes = random() % 200 == 0 ? 16 + random() % (600 * KiB) : 16 + random() % 600;
                    void* const object = own != nullptr ? own->allocate(bytes) : allocate_outside(bytes, min_alignment);
                    if (object == nullptr) {
                        wrong.fetch_add(1);
                        continue;
                    }
                    void* const other = exchanged[random() % exchanged.size()].exchange(Marked::fill(object, bytes));
                    if (other != nullptr) give_back(own, other, wrong);
                    if (own == nullptr || (i % 4096 != 0 && !arch::needs_attention())) continue;
                    (void)arch::take_attention();
                    own->settle();
                }
                for (ended.fetch_add(1); ended.load() <= core_count;)
                    std::this_thread::yield(); // nobody's core is gone
            });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(wrong.load(), 0U);
        for (auto const& place : exchanged)
            if (void* const object = place.load(); object != nullptr) give_back(heaps[0].get(), object, wrong);
        EXPECT_EQ(wrong.load(), 0U);
        for (int round = 0; round < 2; ++round) { // objects, and what they were sent in
            for (auto const& heap : heaps) heap->settle();
            visit_outside([](CoreHeap& heap, void*) { heap.settle(); }, nullptr);
        }
        for (auto const& heap : heaps) heap->trim();
        for (auto const& heap : heaps) {
            EXPECT_EQ(heap->use().parked, 0U);
            EXPECT_EQ(heap->blocks().used(), 0U);
            for (std::size_t bin = 0; bin < medium_bin_count; ++bin) EXPECT_EQ(heap->medium(bin).used(), 0U);
        }
        arch::reserve_cores(0);
        for (std::size_t node = 0; node < 2; ++node) EXPECT_EQ(pool_of(node_id(node)).use().large_bytes, 0U);
    }

  private:
    static void give_back(CoreHeap* own, void* object, std::atomic<std::size_t>& wrong) {
        std::size_t const bytes = Marked::check(object);
        if (bytes == 0) {
            wrong.fetch_add(1);
        } else if (own != nullptr) {
            own->deallocate(object, bytes);
        } else {
            deallocate_outside(object, bytes, min_alignment);
        }
    }
};

TEST_F(HeapStressTest, objects_are_freed_by_any_core_and_none_is_lost) {
    run(200'000);
}

TEST_F(HeapStressTest, with_delays_injected) {
    if (!inject::enabled) GTEST_SKIP() << "this build injects no delays";
    InjectDelays const delays;
    run(20'000);
}

} // namespace
} // namespace mxk::test
