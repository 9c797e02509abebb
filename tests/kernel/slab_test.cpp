// Small objects of the cores' pools (after HelenOS's slab1 and slab2): of all sizes, with patterns, on all cores, also
// given back elsewhere; without any memory left, and with memory again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "kernel/memory/core_pool.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/all_memory.hpp"

namespace mxk {
namespace {

constexpr std::size_t objects_of_each = 200;

// Fills an object with its pattern, or says whether it has it still.
void fill_object(void* object, std::size_t bytes, std::uint64_t pattern) {
    std::ranges::fill(std::span(static_cast<std::uint64_t*>(object), bytes / 8), pattern);
}
bool has_pattern(void const* object, std::size_t bytes, std::uint64_t pattern) {
    return std::ranges::all_of(std::span(static_cast<std::uint64_t const*>(object), bytes / 8),
                               [&](std::uint64_t word) { return word == pattern; });
}

// Objects of one size, every other of which is given back and taken again.
class Objects {
  public:
    Objects(CorePool& pool, std::size_t bytes, std::uint64_t pattern)
        : pool_(pool)
        , bytes_(bytes)
        , pattern_(pattern) {}
    void take(std::size_t first, std::size_t step) {
        for (std::size_t i = first; i < objects_of_each; i += step) {
            places_[i] = pool_.allocate(bytes_);
            MXK_CHECK(places_[i] != nullptr);
            if (places_[i] == nullptr) continue;
            MXK_CHECK(is_aligned(reinterpret_cast<std::uintptr_t>(places_[i]), cache_line_bytes));
            fill_object(places_[i], bytes_, pattern_ + i);
        }
    }
    void give_back(std::size_t first, std::size_t step) {
        for (std::size_t i = first; i < objects_of_each; i += step) {
            if (places_[i] == nullptr) continue;
            MXK_CHECK(has_pattern(places_[i], bytes_, pattern_ + i));
            pool_.free(places_[i], bytes_);
            places_[i] = nullptr;
        }
    }

  private:
    CorePool& pool_;
    std::size_t bytes_;
    std::uint64_t pattern_;
    std::array<void*, objects_of_each> places_{};
};

void use_all_sizes(CorePool& pool, std::uint64_t pattern) {
    for (std::size_t bytes = 8; bytes <= CorePool::largest_bytes; bytes += 72) {
        Objects taken(pool, bytes, pattern << 32 | bytes << 16);
        taken.take(0, 1);
        taken.give_back(1, 2);
        taken.take(1, 2);
        taken.give_back(0, 1);
    }
}

MXK_TEST(slab1, objects_of_all_sizes_keep_their_patterns_on_all_cores) {
    MXK_CHECK(run_on(all_cores().span(), [](Worker& worker, std::size_t place) {
        CorePool& pool = worker.pool();
        std::int64_t const in_use = pool.in_use();
        use_all_sizes(pool, place);
        MXK_CHECK_EQUAL(pool.in_use(), in_use);
        std::size_t const blocks = worker.heap().blocks().used();
        use_all_sizes(pool, place + 1);
        MXK_CHECK_EQUAL(worker.heap().blocks().used(), blocks); // those of the first time are used again
        return Step::Done;
    }));
}

// Each core gives back what its neighbour has taken: the pools know of it together.
MXK_TEST(slab1, objects_may_be_given_back_on_another_core) {
    constexpr std::size_t bytes = 192;
    auto const cores = all_cores();
    auto objects_of = NodeVector<std::array<void*, 64>>::create(cores.size(), Worker::current().node());
    MXK_CHECK(objects_of.ok());
    if (!objects_of) return;
    for (std::size_t i = 0; i < cores.size(); ++i) objects_of.value().emplace();
    std::atomic<std::int64_t> balance{0};
    MXK_CHECK(run_on(cores.span(), [&](Worker& worker, std::size_t place) {
        std::int64_t const before = worker.pool().in_use();
        for (void*& object : objects_of.value()[place]) {
            object = worker.pool().allocate(bytes);
            MXK_CHECK(object != nullptr);
            if (object != nullptr) fill_object(object, bytes, place);
        }
        balance.fetch_add(worker.pool().in_use() - before, std::memory_order_relaxed);
        return Step::Done;
    }));
    MXK_CHECK(run_on(cores.span(), [&](Worker& worker, std::size_t place) {
        std::size_t const neighbour = (place + 1) % cores.size();
        std::int64_t const before = worker.pool().in_use();
        for (void* const object : objects_of.value()[neighbour]) {
            if (object == nullptr) continue;
            MXK_CHECK(has_pattern(object, bytes, neighbour));
            worker.pool().free(object, bytes);
        }
        balance.fetch_add(worker.pool().in_use() - before, std::memory_order_relaxed);
        return Step::Done;
    }));
    MXK_CHECK_EQUAL(balance.load(), 0);
}

// An object in a chain of all that a core has taken.
struct Chained {
    Chained* next;
    std::uint64_t number;
    std::array<std::uint64_t, 30> pattern;
};

// All that a core can have of them.
class AllObjects {
  public:
    // Takes objects until there is none.
    void take(CorePool& pool, std::uint64_t mark) {
        mark_ = mark;
        while (void* const place = pool.allocate(sizeof(Chained))) {
            chain_ = new (place) Chained{chain_, count_, {}};
            chain_->pattern.fill(mark + count_);
            ++count_;
        }
    }
    // All keep their pattern; they go back.
    void give_back(CorePool& pool) {
        while (chain_ != nullptr) {
            MXK_CHECK_EQUAL(chain_->number, --count_);
            MXK_CHECK(std::ranges::all_of(chain_->pattern, [&](std::uint64_t word) { return word == mark_ + count_; }));
            Chained* const next = chain_->next;
            pool.free(chain_, sizeof(Chained));
            chain_ = next;
        }
        MXK_CHECK_EQUAL(count_, 0U);
        pool.trim();
    }
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    Chained* chain_ = nullptr;
    std::size_t count_ = 0;
    std::uint64_t mark_ = 0;
};

// With so much left for all cores, twice; and then with all memory again. A WARN for nodes that are helped out by
// others may come of it.
MXK_TEST(slab2, pools_are_exhausted_and_go_on_when_there_is_memory) {
    std::size_t const left = (workers::count() + 1) * heap::superblock_bytes();
    auto const cores = all_cores();
    auto taken = PerCore<AllObjects>::create(system_topology().cores, [] { return AllObjects(); });
    MXK_CHECK(taken.ok());
    if (!taken) return;
    MXK_CHECK(run_on(cores.span(), [](Worker& worker, std::size_t) { // what sending takes is there, and nothing else
        worker.pool().trim();
        return Step::Done;
    }));
    std::int64_t const in_use = Worker::current().pool().in_use();
    heap::trim_all();
    {
        AllMemory all;
        all.take();
        all.give_back_until(left);
        std::array<std::size_t, 2> counts{};
        for (std::size_t& count : counts) {
            MXK_CHECK(run_on(cores.span(), [&](Worker& worker, std::size_t place) {
                taken.value()[place].take(worker.pool(), place << 32);
                return Step::Done;
            }));
            for (AllObjects const& of_core : taken.value()) count += of_core.count();
            MXK_CHECK(run_on(cores.span(), [&](Worker& worker, std::size_t place) {
                taken.value()[place].give_back(worker.pool());
                return Step::Done;
            }));
            heap::trim_all();
        }
        MXK_CHECK(counts[0] > 0);
        MXK_CHECK_EQUAL(counts[1], counts[0]); // all of it went back, and was there again
    }
    MXK_CHECK_EQUAL(Worker::current().pool().in_use(), in_use);
    void* const more = Worker::current().pool().allocate(CorePool::largest_bytes);
    MXK_CHECK(more != nullptr);
    if (more != nullptr) Worker::current().pool().free(more, CorePool::largest_bytes);
}

} // namespace
} // namespace mxk
