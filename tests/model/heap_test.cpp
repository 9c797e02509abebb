// What cores free that others have allocated: how it comes home, in batches, one by one, or as a medium object; how a
// core is told that much has come; how a superblock that became empty so goes to another core; and the pool of these.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/model/heap_use.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

// Of one thread: what each condition of the way decides.

void own_objects(HeapUse& by) {
    for (std::size_t i = 0; i < 6; ++i) by.allocate(i, large);
    by.expect(0, {1536, 0, 0, 2});
    for (std::size_t i = 0; i < 6; ++i) by.free(i);
    by.expect(0, {0, 0, 4, 2});
    by.allocate(0, large);
    by.expect(0, {256, 0, 3, 2});
    by.free(0), by[0].trim();
    by.expect(0, {});
    by.expect_node({2, 2, 2048, 0, 4, 0, 7072});
    by.allocate(0, large);
    by.expect_node({2, 1, 1024, 0, 5, 0, 7072});
}

void batches(HeapUse& by) {
    by.warm(1);
    for (std::size_t i = 0; i < 6; ++i) by.allocate(0, i, small);
    by.free(1, 1); // the last one of a block
    by.expect(1, {112, 1, 0, 1});
    by.free(1, 2); // the first one of another
    by.expect(1, {112, 1, 0, 1, 0, 2, 1});
    by.expect(0, {672, 0, 0, 1, 0, 0, 0, 224});
    by.allocate(0, 6, large), by.free(1, 6); // alone
    by.free(1, 3);
    by.expect(1, {336, 1, 0, 1, 0, 3, 2});
    by[1].settle();
    by.expect(1, {336, 1, 0, 1, 0, 4, 3});
    by[0].settle();
    by.expect(0, {336, 0, 0, 1, 0, 0, 0, 0, 368, 2});
    by.expect(1, {336, 1, 0, 1, 0, 4, 3, 336});
    by[1].settle();
    by.expect(1, {0, 1, 0, 1, 0, 4, 3, 0, 336, 1});
    by.expect_node({3, 1, 1024, 0, 4, 0, 12768});
}

void spent_batches(HeapUse& by) {
    by.warm(1);
    for (std::size_t i = 0; i < 3; ++i) by.allocate(0, i, large);
    by.allocate(1, 3, large);
    for (std::size_t i = 0; i < 3; ++i) by.free(1, i);
    by.take_back(0);
    by.expect(0, {0, 0, 0, 1, 0, 0, 0, 0, 768, 1});
    by.free(0, 3); // with one of them
    by.expect(0, {0, 0, 0, 1, 0, 1, 1, 0, 768, 1});
    by.allocate(0, 0, small); // keeps one, and gives one back
    by.expect(0, {112, 1, 0, 1, 0, 1, 1, 0, 768, 1});
    by.expect(1, {592, 1, 1, 2, 0, 3, 3, 368});
    by[1].settle(); // it was its own
    by.expect(1, {112, 2, 1, 2, 0, 3, 3, 0, 368, 1});
}

void own_spent_batches(HeapUse& by) {
    by.warm(0), by.warm(1);
    for (std::size_t i = 0; i < 2; ++i) by.allocate(0, i, large), by.allocate(1, 2 + i, large);
    by.free(1, 0), by.free(1, 1), by.take_back(0), by.free(0, 2), by.free(0, 3); // in the batches of core 1
    by.take_back(1);
    by.expect(1, {224, 0, 0, 1, 0, 2, 2, 0, 512, 1});
    by.allocate(1, 2, small); // by the batch that has come home
    by.expect(1, {224, 0, 0, 1, 0, 2, 2, 0, 512, 1});
}

void much_parked(HeapUse& by) {
    by.warm(0), by.warm(1);
    for (std::size_t i = 0; i < 3; ++i) by.allocate(0, i, large);
    by.allocate(0, 3, medium), by.free(1, 0), by.free(1, 1), by.allocate(0, 0, large); // before another block
    by.expect(0, {960, 2, 1, 3, 0, 0, 0, 0, 512, 1});
    by.free(1, 2), by.allocate(0, 1, small); // from the magazine
    by.allocate(0, 2, small);
    by.expect(0, {1184, 0, 1, 3, 0, 0, 0, 256, 512, 1}); // not much yet
    by.free(1, 3);
    HeapUse::check_attention(true);
    by.free(0, 1), by.allocate(0, 1, small);
    by.expect(0, {1184, 0, 1, 3, 0, 0, 0, 768, 512, 1}); // from the magazine
    by.allocate(0, 4, medium);                           // has room, and takes back
    by.expect(0, {928, 0, 1, 2, 0, 0, 0, 0, 768, 2});
}

void batch_used_again(HeapUse& by) {
    by.warm(1);
    for (std::size_t i = 0; i < 6; ++i) by.allocate(0, i, small);
    by.free(1, 4), by.free(1, 5), by[0].settle(), by[1].settle();                 // the batch is home
    by.allocate(0, 4, small), by.allocate(0, 5, small), by.allocate(1, 6, small); // and the next one to be taken
    by.free(1, 3), by[1].settle();                                                // in it: one object, where two were
    by.take_back(0);
    by.expect(0, {560, 0, 0, 1, 0, 0, 0, 0, 224, 2});
}

void medium_objects(HeapUse& by) {
    for (std::size_t i = 0; i < 4; ++i) by.allocate(0, i, medium);
    by.expect(0, {1792, 0, 0, 2});
    HeapUse::check(by.address(2) - by.address(0) == 1024, "no large pages");
    by.free(1, 0), by.allocate(0, 0, medium); // has one by what came
    by.expect(0, {1792, 0, 0, 2, 0, 0, 0, 0, 512, 1});
    by.free(0, 1), by.free(1, 2), by.allocate(0, 1, medium); // has one
    by.expect(0, {1792, 0, 0, 2, 0, 0, 0, 512, 512, 1});
    by.allocate(0, 4, 960), by.free(0, 4);
    by.expect_node({3, 0, 0, 0, 3, 0, 5760});
}

void kept_slots(HeapUse& by) {
    for (std::size_t i = 0; i < 6; ++i) by.allocate(0, i, medium); // of three superblocks
    by.free(0, 0), by.free(0, 2), by.free(0, 4);
    by.expect(0, {1344, 0, 0, 3, 1}); // one is kept
    by.allocate(0, 0, medium), by.allocate(0, 2, medium), by.allocate(0, 4, medium);
    by.expect(0, {2688, 0, 0, 3}); // no other one is taken
    by.free(0, 0), by.free(0, 1);  // both of one
    by.allocate(0, 0, medium);
    by.expect(0, {2240, 0, 0, 3, 1});
    by.allocate(0, 1, medium);
    by.expect(0, {2688, 0, 0, 3});
    by.free(0, 0), by.free(0, 1);
    by.expect(0, {1792, 0, 0, 3, 2});
    by.free(0, 3), by.free(0, 4); // and of another, which is kept in its place
    by.expect(0, {896, 0, 0, 2, 1});
    by.allocate(0, 3, medium);
    by.expect(0, {1344, 0, 0, 2});
    by.allocate(0, 4, medium), by.allocate(0, 0, medium), by.free(1, 2),
        by.allocate(0, 1, medium); // has room, though none is kept
    by.expect(0, {2688, 0, 0, 3, 0, 0, 0, 512});
}

void nearly_empty_block(HeapUse& by) {
    for (std::size_t i = 0; i < 7; ++i) by.allocate(0, i, small);
    by.warm(1), by.free(1, 2), by.free(1, 3), by.take_back(0);
    by.expect(0, {560, 1, 0, 2, 0, 0, 0, 0, 224, 1});
    by.free(1, 4), by[1].settle(), by.take_back(0);
    by.expect(0, {448, 1, 0, 2, 0, 0, 0, 0, 224, 2});
    by.allocate(0, 2, small), by.allocate(0, 3, small);
    by.expect(0, {672, 1, 0, 2, 0, 0, 0, 0, 224, 2});
}

void large_objects(HeapUse& by) {
    by.allocate(0, small), by.allocate(0, 1, beyond), by.allocate(2, beyond), by.allocate_aligned(3, small, 256),
        by.allocate_aligned(4, medium, 16), by.allocate_aligned(5, 4096, 16), by.allocate(7, beyond),
        by.allocate_aligned(6, 4096, 16);
    HeapUse::check(by.address(2) - by.address(1) == 1280, "frames, and no large pages");
    HeapUse::check(is_aligned(by.address(5), 4096) && is_aligned(by.address(6), 4096), "large pages");
    by.expect_node({2, 0, 0, 12288, 2, 0, 19360});
    by.free(1, 1);
    for (std::size_t i = 2; i < 8; ++i) by.free(i);
    by.expect_node({2, 0, 0, 0, 2, 0, 7072});
    by.allocate_aligned(3, small, 256), by.allocate(4, medium), by.allocate(5, beyond);
    for (std::size_t i = 3; i < 6; ++i) by.free_outside(i);
    by.expect_node({2, 0, 0, 0, 2, 0, 7072});
    HeapUse::check_none(heap::allocate(SIZE_MAX, 16));
    HeapUse::check_none(heap::allocate(small, 8192));
}

void large_superblocks(HeapUse& by) {
    by.allocate(0, small), by.allocate(1, 960);
    HeapUse::check(is_aligned(by.address(1) - cache_line_bytes, 4096), "large pages");
    by.expect_node({2, 0, 0, 0, 2, 0, 13216});
}

void no_memory(HeapUse& by) {
    model_memory_is_out = true;
    HeapUse::check_none(heap::pool_of(node_id(0)).take());
    by.fail(0, small), by.fail(0, medium), by.fail(0, beyond), by.fail(1, large);
    model_memory_is_out = false;
    by.allocate(0, 0, large), by.allocate(0, 1, large), by.allocate(0, 2, large);
    model_memory_is_out = true;
    by.fail(0, large), by.fail(0, small), by.fail(0, medium), by.free(1, 0); // alone: no batch
    by.expect(1, {0, 0, 0, 0, 0, 1, 1});
    by.allocate(0, 0, large);
    by.expect(0, {768, 0, 0, 1, 0, 0, 0, 0, 256, 1});
    by.fail(0, large);
    model_memory_is_out = false;
    by.allocate(0, 3, medium), by.allocate(0, 4, 960);
    model_memory_is_refused = true;
    by.fail(0, large), by.fail(0, medium);
    model_memory_is_refused = false;
    by.free(0, 3);
    model_memory_is_out = true;
    by.allocate(0, 5, large); // by what was kept
    by.expect(0, {1984, 0, 0, 3, 0, 0, 0, 0, 256, 1});
    by.fail(0, 960);
    by.expect_node({3, 0, 0, 0, 15, 0, 8096});
}

void kept_for_another_size(HeapUse& by) {
    by.allocate(0, 0, medium), by.allocate(0, 1, 960), by.allocate(0, 2, 960), by.free(0, 0);
    model_memory_is_out = true;
    by.allocate(0, 0, 960);
    by.expect(0, {2880, 0, 0, 3});
    by.expect_node({3, 0, 0, 0, 6, 0, 5760});
}

void a_small_node(HeapUse& by) {
    by.allocate(0, 0, medium);
    by.expect_node({1, 0, 0, 0, 1, 0, 1472});
    by.free(0, 0), by[0].trim();
    by.expect_node({0, 0, 0, 0, 2, 1, 448});
    by.allocate(0, 0, medium); // described where it was
    by.expect_node({1, 0, 0, 0, 3, 1, 1472});
    by.free(0, 0); // and is kept
    model_memory_is_out = true;
    by.allocate(0, 1, beyond);                                              // by its memory
    by.allocate(0, 2, 960), by.allocate(0, 3, 960), by.allocate(0, 4, 960); // more room for descriptions
    by.expect_node({3, 0, 0, 1280, 7, 2, 4928});
}

void kept_superblocks(HeapUse& by) {
    for (std::size_t i = 0; i < 6; ++i) by.allocate(0, i, medium);
    for (std::size_t i = 0; i < 6; ++i) by.free(0, i);
    by[0].trim();
    heap::SuperblockPool& pool = heap::pool_of(node_id(0));
    by.expect_node({3, 3, 3072, 0, 6, 0, 5760});
    HeapUse::check(pool.release(1025) == 2048, "two");
    by.expect_node({1, 1, 1024, 0, 6, 2, 3712});
    HeapUse::check(pool.release(33 * KiB) == 0, "none, since it is not enough");
    HeapUse::check(pool.release(32 * KiB) == 1024, "all");
    by.expect_node({0, 0, 0, 0, 6, 3, 2688});
}

void heap_of_no_core(HeapUse& by) {
    by.allocate(4, small), by.allocate_outside(5, small); // its own
    by.expect(0, {224, 0, 0, 1});
    by.free(4), by.free_outside(5);
    by.expect(0, {0, 2, 0, 1});
    by.warm(1), by.allocate(0, 4, small), by.free(1, 4), by.free(1, 3); // one place of two heaps
    by.expect(0, {112, 1, 0, 1, 0, 0, 0, 112});
    by.expect(1, {224, 0, 0, 1, 0, 1, 1});
    by.free(0), by.free(1), by.free(2);
    HeapUse::check_attention(false);
    by.expect(0, {224, 0, 0, 1, 0, 3, 3, 0, 112, 1});
    by.expect_outside({368, 256, 1});
}

void no_heap_of_no_core(HeapUse& by) {
    model_memory_is_out = true;
    by.fail(small);
    model_memory_is_out = false;
    by.allocate(0, small), by.allocate(1, small);
    by.allocate_aligned(2, small, 256), by.allocate(3, beyond), by.allocate(4, medium);
    for (std::size_t i = 0; i < 5; ++i) by.free(i);
}

void use_alone(Protocol& protocol, HeapUse& heap) {
    protocol.use(heap.alone("own objects", own_objects))
        .use(heap.alone("batches", batches))
        .use(heap.alone("spent batches", spent_batches))
        .use(heap.alone("own spent batches", own_spent_batches))
        .use(heap.alone("much is parked", much_parked))
        .use(heap.alone("a batch is used again", batch_used_again))
        .use(heap.alone("medium ones", medium_objects))
        .use(heap.alone("slots that are kept", kept_slots))
        .use(heap.alone("a block that is nearly empty", nearly_empty_block))
        .use(heap.alone("large ones, and such that are aligned", large_objects))
        .use(heap.alone("large superblocks", large_superblocks, 128 * KiB))
        .use(heap.alone("no memory", no_memory))
        .use(heap.alone("kept of a medium size, and given to another", kept_for_another_size))
        .use(heap.alone("a small node", a_small_node, 1 * KiB))
        .use(heap.alone("what is kept is released", kept_superblocks))
        .use(heap.use("a heap of no core", {.begin =
                                                [](HeapUse& by) {
                                                    by.allocate(0, large), by.allocate(1, large), by.allocate(2, large),
                                                        by.allocate(3, small);
                                                },
                                            .threads = {heap_of_no_core}}))
        .use(heap.use("no heap of no core", {.threads = {no_heap_of_no_core}, .cores = 0}));
}

TEST(Model, Heap) {
    HeapUse heap;
    Protocol protocol("heap");
    use_alone(protocol, heap);
    auto const small_ones = [](HeapUse& by) { by.warm(1), by.allocate(0, 0, small), by.allocate(0, 1, small); };
    auto const own_ones = [](HeapUse& by) { by.allocate(0, 0, small), by.allocate(0, 1, small); };
    auto const large_ones = [](HeapUse& by) { by.warm(1), by.allocate(0, 0, large), by.allocate(0, 1, large); };
    auto const medium_ones = [](HeapUse& by) { by.allocate(0, 0, medium), by.allocate(0, 1, medium); };
    auto const three = [](HeapUse& by) { by.warm(1), by.warm(2), by.allocate(0, 0, large), by.allocate(0, 1, large); };
    auto const take_superblock = [](HeapUse& by) { by.take_superblock(); };
    auto const chooses = [](std::size_t bytes) {
        return [bytes](HeapUse&) { HeapUse::check(heap::superblock_bytes() == bytes, "all choose the same"); };
    };
    auto const much_of_a_thread = [](HeapUse& by) {
        by.warm(0), by.allocate(0, large), by.allocate(1, large), by.allocate(2, large);
    };
    auto const mixed_of_a_thread = [](HeapUse& by) {
        by.warm(0), by.warm(1), by.allocate(0, large), by.allocate(1, medium);
    };
    auto const allocate_3 = [](HeapUse& by) { by.allocate(3, small); };
    auto const one_large = [](HeapUse& by) { by.warm(1), by.allocate(0, 0, large); };
    auto const free_three = [](HeapUse& by) { by.free(0), by.free(1), by.free(2); };
    auto const trim = [](HeapUse& by) { by[0].trim(); };
    // Notes whether the superblock is the one that the other core had.
    auto const free_and_take = [](HeapUse& by) {
        std::uintptr_t const had = by.address(0);
        by.free(0);
        by.allocate(1, 4, medium);
        note(align_down(had, 1024) == align_down(by.address(4), 1024) ? 1 : 0);
    };
    auto const take_back = [](HeapUse& by) { by.take_back(0); };
    auto const take_back_twice = [](HeapUse& by) { by.take_back(0), by.take_back(0); };
    auto const free_0 = [](HeapUse& by) { by.free(0); };
    auto const free_1 = [](HeapUse& by) { by.free(1); };
    auto const free_both = [](HeapUse& by) { by.free(0), by.free(1); };
    protocol.use(heap.use("a batch comes home", {small_ones, {[](HeapUse& by) { by.allocate(2, small); }, free_both}}))
        .use(heap.use("two cores send", {three, {take_back, free_0, free_1}, 3}))
        .use(heap.use("a core sends twice", {large_ones, {take_back_twice, free_both}}))
        .use(heap.use("a thread sends two", {own_ones, {take_back, free_both}, 1}))
        .use(heap.use("two threads",
                      {.begin = own_ones, .threads = {take_back, free_0, free_1}, .cores = 1, .is_large = true}))
        .use(heap.use("medium ones", {medium_ones, {take_back, free_both}}))
        .use(heap.use("medium ones of two",
                      {.begin = medium_ones, .threads = {take_back, free_0, free_1}, .is_large = true}))
        .use(heap.use("a superblock goes on", {one_large, {trim, free_and_take}}))
        .use(heap.use("a superblock of two cores' objects",
                      {.begin = three, .threads = {trim, free_and_take, free_1}, .cores = 3, .is_long = true}))
        .use(heap.use("a thread allocates, a core sends much",
                      {.begin = much_of_a_thread, .threads = {free_three, allocate_3}, .cores = 1, .is_large = true}))
        .use(heap.use("a thread allocates, two cores send",
                      {.begin = mixed_of_a_thread, .threads = {free_0, free_1, allocate_3}, .is_long = true}))
        .use(heap.use("is told", {[](HeapUse& by) { by.warm(1), by.allocate(0, 0, large), by.allocate(0, 1, medium); },
                                  {[](HeapUse& by) { by.attend(); }, free_both}}))
        .use(heap.use("a thread allocates, a core frees", {[](HeapUse& by) {
                                                               by.warm(0), by.allocate(0, small), by.allocate(1, small),
                                                                   by.allocate(2, large);
                                                           },
                                                           {free_both, [](HeapUse& by) { by.allocate(3, small); }},
                                                           1}))
        .use(heap.use("two take superblocks", {.threads = {take_superblock, take_superblock}, .frames = 2432}))
        .use(heap.use("two choose", {.threads = {chooses(1024), chooses(1024)}, .is_chosen = false}))
        .use(heap.use("not whole pages", {.threads = {chooses(2048)}, .total = 64 * KiB, .is_chosen = false}))
        .use(heap.use("whole large pages", {.threads = {chooses(4096)}, .total = 192 * KiB, .is_chosen = false}))
        .use(heap.use("no node has memory", {.threads = {chooses(20 * KiB)}, .total = 0, .is_chosen = false}))
        .check({"slot_allocator,", "small_bin, classify", "small_bin, make_block", "small_bin, take_back",
                "metadata_arena,", "core_heap,", "superblock_pool,", "outside_heap, allocate",
                "outside_heap, deallocate", "outside_heap, shared", "heap,"},
               {{"core_heap, take_back() condition 2: never", "each object is a list of its own then"},
                {"core_heap, take_back() condition 3: never", "each object is a list of its own then"},
                {"heap, allocate_unchecked() condition: always", "the way of threads ends in the core's heap, too"},
                {"heap, deallocate_unchecked() condition: always", "the way of threads ends in the core's heap, too"},
                {"small_bin, take_back() condition 1*", "of comparisons only: no use has hot ones"},
                {"superblock_pool, superblock_bytes() condition: never", "chooses the same again"},
                {"superblock_pool, superblock_bytes() store: left out", "chooses the same again"},
                {"superblock_pool, use() condition: never", "no bytes either; it only puts off the first choice"}});
}

} // namespace
} // namespace mxk::test
