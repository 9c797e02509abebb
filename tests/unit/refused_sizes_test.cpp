// Sizes that no memory has, many of which wrap around in one multiplication or sum: whatever is given one refuses it.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <new>
#include <vector>

#include "hashtable/batch/batched.hpp"
#include "hashtable/bulk/bulk_table.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "hashtable/table/partitioned.hpp"
#include "hashtable/table/sharded.hpp"
#include "main/library/heap_resource.hpp"
#include "tasks/dataflow/request_queue.hpp"
#include "tasks/threads/turns.hpp"
#include "tests/unit/in_thread.hpp"

namespace mxk::test {
namespace {

struct Maker {
    char const* name;
    std::function<bool(std::size_t size)> makes;
};
template <typename Cells> bool makes_extendible(std::size_t size) {
    return Extendible<Cells>::create({.slots = size}, node_id(0), MixedHash()).ok();
}

std::vector<Maker> makers() {
    static std::array<Owner, 2> const owners{Owner{core_id(0), node_id(0)}, Owner{core_id(1), node_id(0)}};
    static std::array<NodeId, 1> const nodes{node_id(0)};
    static auto const one = std::span(owners).first(1);
    using Concurrent = ConcurrentLines<>;
    using Words = Table<std::uint64_t, std::uint64_t>;
    using Texts = Table<std::string, std::array<char, 64>>;
    return {
        {"Table", [](std::size_t size) { return Words::create({.capacity = size, .regions = 2}).ok(); }},
        {"Table of texts", [](std::size_t size) { return Texts::create({.capacity = size, .regions = 2}).ok(); }},
        {"Table, regions", [](std::size_t size) { return Words::create({.regions = size}).ok(); }},
        {"NodeArray", [](std::size_t size) { return NodeArray<std::uint16_t>::create(size, node_id(0)).ok(); }},
        {"open", &makes_extendible<OpenSlots<>>},
        {"cuckoo", &makes_extendible<CuckooSlots<>>},
        {"buckets",
         [](std::size_t size) { return LinearBuckets<>::create({.slots = size}, node_id(0), MixedHash()).ok(); }},
        {"Sharded",
         [](std::size_t size) { return Sharded<Extendible<OpenSlots<>>>::create({.slots = size}, one, 1).ok(); }},
        {"LockedRegions",
         [](std::size_t size) {
             return LockedRegions<OpenSlots<>>::create({.slots = size}, owners, SemaphoreKind::Fast).ok();
         }},
        {"Bucketed", [](std::size_t size) { return Partitioned<Bucketed>::create(size, owners).ok(); }},
        {"ProbedRegion", [](std::size_t size) { return Partitioned<ProbedRegion>::create(size, one).ok(); }},
        {"ConcurrentLines", [](std::size_t size) { return Concurrent::create({.keys = size}, one).ok(); }},
        {"ConcurrentLines, reserve",
         [](std::size_t size) { return Concurrent::create({.keys = 1}, owners).value().reserve(size); }},
        {"ConcurrentPairs",
         [](std::size_t size) { return ConcurrentPairs::make({.first_heads = size}, nodes, one, 1).ok(); }},
        {"ConcurrentPairs, pairs",
         [](std::size_t size) { return ConcurrentPairs::make({.first_heads = 8}, nodes, one, size).ok(); }},
        {"ConcurrentPairs, reserve",
         [](std::size_t size) {
             ConcurrentPairs table(ConcurrentPairs::make({.first_heads = 8, .max_load = 0.25}, nodes, one, 1).value());
             return table.reserve(size).ok();
         }},
        {"Turns", [](std::size_t size) { return Turns::create(size, SemaphoreKind::Fast, node_id(0)).ok(); }},
        {"RequestQueue", [](std::size_t size) { return dataflow::RequestQueue::create(size, node_id(0)).ok(); }},
        {"heap",
         [](std::size_t size) {
             try {
                 return static_cast<void>(heap::resource()->allocate(size, 8)), true;
             } catch (std::bad_alloc const&) {
                 return false;
             }
         }},
        {"heap, alignment",
         [](std::size_t size) {
             try {
                 return static_cast<void>(heap::resource()->allocate(64, std::bit_floor(size))), true;
             } catch (std::bad_alloc const&) {
                 return false;
             }
         }},
    };
}

TEST(RefusedSizes, by_all_that_takes_memory) {
    on_machine([] {
        for (Maker const& maker : makers())
            for (unsigned const bits : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 12U, 20U})
                for (std::size_t const less : {0U, 1U, 2U, 7U, 100U}) {
                    EXPECT_FALSE(maker.makes((SIZE_MAX >> bits) - less)) << maker.name << " " << bits << " " << less;
                    EXPECT_FALSE(maker.makes((SIZE_MAX >> bits) + 1 + less - (bits == 0 ? 200 : 0)))
                        << maker.name << " " << bits << " and " << less;
                }
    });
}

} // namespace
} // namespace mxk::test
