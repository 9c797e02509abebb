// The heaps of some cores under the model checker, and what a test does with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "base/arena.hpp"
#include "base/refusal.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {

using heap::CoreHeap;

// Sizes of objects (tests/model/platform/kernel/memory/heap/size_classes.hpp).
inline constexpr std::size_t small = 112; // two are a batch
inline constexpr std::size_t large = 256; // a batch alone
inline constexpr std::size_t medium = 448;
inline constexpr std::size_t beyond = 1200; // takes frames

class HeapUse {
  public:
    using Step = std::function<void(HeapUse&)>;
    struct Shape {
        Step begin = [](HeapUse&) {}; // before there are others
        std::vector<Step> threads;
        std::size_t cores = 2;        // the first threads; the others are none
        std::size_t total = 32 * KiB; // of the node
        bool is_chosen = true;        // how large superblocks are
        bool is_long = false;
        bool is_large = false;
        std::size_t frames = 0; // bytes besides superblocks at the end, if these are always the same
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            arch::make_model_cores(shape.cores);
            make_model_node(shape.total);
            alignas(cache_line_bytes) static std::byte pools[64 * KiB];
            Arena arena([](std::size_t bytes) { return std::span(pools).first(bytes); });
            heap::configure_pools(1, arena);
            if (shape.is_chosen) static_cast<void>(heap::superblock_bytes());
            heaps_ = {};
            superblocks_ = {};
            objects_ = {};
            for (std::size_t i = 0; i < shape.cores; ++i)
                arch::model_cores[i]->heap = heaps_[i] = ModelMemory::make<CoreHeap>(core_id(i), node_id(0));
            shape.begin(*this);
        };
        for (Step const& step : shape.threads) program.threads.emplace_back([this, step] { step(*this); });
        program.end = [this, shape] {
            end();
            check(shape.frames == 0 || shape.frames == frames_besides_superblocks(), "frames are lost");
        };
        return {std::move(name), std::move(program), 0, shape.is_long, shape.is_large};
    }
    // One thread does it all, core 0 as it is asked; there is another core.
    ProtocolUse alone(std::string name, Step step, std::size_t total = 32 * KiB) {
        return use(std::move(name), {.threads = {std::move(step)}, .total = total});
    }

    // The object's word is its user's alone: another user of it races.
    void allocate(std::size_t core, std::size_t number, std::size_t bytes) {
        begin_life(number, heaps_[core]->allocate(bytes), {bytes});
    }
    void free(std::size_t core, std::size_t number) {
        std::size_t const bytes = objects_[number].bytes;
        heaps_[core]->deallocate(end_life(number), bytes);
    }
    // As the thread that runs does it.
    void allocate(std::size_t number, std::size_t bytes) {
        begin_life(number, heap::allocate(bytes, heap::min_alignment), {bytes});
    }
    void allocate_aligned(std::size_t number, std::size_t bytes, std::size_t alignment) {
        begin_life(number, heap::allocate(bytes, alignment), {bytes, alignment});
        check(is_aligned(reinterpret_cast<std::uintptr_t>(objects_[number].word), alignment), "it is aligned");
    }
    void free(std::size_t number) {
        Object const object = objects_[number];
        heap::deallocate(end_life(number), object.bytes, object.alignment);
    }
    // A thread that lives on a core with a heap.
    void allocate_outside(std::size_t number, std::size_t bytes) {
        begin_life(number, heap::allocate_outside(bytes, heap::min_alignment), {bytes});
    }
    void free_outside(std::size_t number) {
        Object const object = objects_[number];
        heap::deallocate_outside(end_life(number), object.bytes, object.alignment);
    }
    void fail(std::size_t core, std::size_t bytes) { check_none(heaps_[core]->allocate(bytes)); }
    static void fail(std::size_t bytes) { check_none(heap::allocate(bytes)); }
    static void check_none(void const* object) { check(object == nullptr, "there is no memory"); }
    static void check(bool is_right, char const* what) { WeakMemory::current().check(is_right, what); }

    // So that the core has room for batches at hand.
    void warm(std::size_t core) { allocate(core, 7, small), free(core, 7); }
    // Until the end.
    void take_superblock() {
        heap::Superblock* const superblock = heap::pool_of(node_id(0)).take();
        superblock->free = 0; // a race, if another one has it
        superblocks_[model_self() - 1] = superblock;
    }
    void take_back(std::size_t core) { note(heaps_[core]->take_back_returned() ? 1 : 0); }
    void attend() {
        arch::halt_until_attention();
        note(arch::take_attention());
        take_back(0);
    }
    using Figures = std::vector<std::uint64_t>; // zeros at the end are left out
    // Bytes in use, ready objects of both small sizes, superblocks, slots that are kept; objects that were sent,
    // batches of them; bytes that are parked, and that were when they were taken back; times of that.
    void expect(std::size_t core, Figures const& wanted) {
        CoreHeap& heap = *heaps_[core];
        check_bins(heap);
        heap::CoreUse const use = heap.use();
        compare({use.live_bytes, heap.ready(0), heap.ready(1), use.superblocks, heap.medium(0).cached(), use.sent,
                 use.batches, use.parked, use.max_parked, use.drains},
                wanted);
    }
    // Superblocks, those that are kept, their bytes, those of large objects; calls, returns; bytes of frames.
    static void expect_node(Figures const& wanted) {
        heap::PoolUse const use = heap::pool_of(node_id(0)).use();
        compare({use.superblocks, use.kept, use.kept_bytes, use.large_bytes, use.calls, use.returns, model_node_given},
                wanted);
    }
    // Of the heap of no core: bytes in use, bytes that are parked, times that they were taken back.
    static void expect_outside(Figures wanted) {
        auto const compare_use = [](CoreHeap& heap, void* figures) {
            heap::CoreUse const use = heap.use();
            compare({use.live_bytes, use.parked, use.drains}, *static_cast<Figures const*>(figures));
        };
        heap::visit_outside(compare_use, &wanted);
    }
    // Whether core 0 has been told.
    static void check_attention(bool wanted) {
        check((arch::model_cores[0]->attention.load(std::memory_order_relaxed) != 0) == wanted, "who is told");
    }
    [[nodiscard]] std::uintptr_t address(std::size_t number) const {
        return reinterpret_cast<std::uintptr_t>(objects_[number].word);
    }
    CoreHeap& operator[](std::size_t core) { return *heaps_[core]; }

  private:
    struct Object {
        std::size_t bytes = 0;
        std::size_t alignment = heap::min_alignment;
        ModelPlain<std::uint64_t>* word = nullptr;
    };

    static void compare(Figures figures, Figures const& wanted) {
        while (!figures.empty() && figures.back() == 0) figures.pop_back();
        std::string text = "figures";
        for (std::uint64_t const figure : figures) text += " " + std::to_string(figure);
        check(figures == wanted, text.c_str());
    }
    void begin_life(std::size_t number, void* place, Object object) {
        check(place != nullptr, "there is memory");
        object.word = new (place) ModelPlain<std::uint64_t>(number + 1);
        objects_[number] = object;
    }
    void* end_life(std::size_t number) {
        Object& object = objects_[number];
        check(object.word != nullptr && *object.word == number + 1, "an object has two users");
        *object.word = 0;
        return std::exchange(object.word, nullptr);
    }
    void end() {
        for (std::size_t number = 0; number < objects_.size(); ++number)
            if (objects_[number].word != nullptr) free(number);
        for (int round = 0; round < 3; ++round) { // objects, and what they were sent in
            for (CoreHeap* heap : heaps_)
                if (heap != nullptr) heap->settle();
            heap::visit_outside([](CoreHeap& heap, void*) { heap.settle(); }, nullptr);
        }
        for (CoreHeap* heap : heaps_)
            if (heap != nullptr) check_empty(*heap);
        heap::visit_outside([](CoreHeap& heap, void*) { check_empty(heap); }, nullptr);
        for (heap::Superblock* const superblock : superblocks_)
            if (superblock != nullptr) heap::pool_of(node_id(0)).give_back(*superblock);
        heap::PoolUse const use = heap::pool_of(node_id(0)).use();
        check(use.superblocks == use.kept, "a superblock is lost");
        check(use.large_bytes == 0, "a large object is lost");
    }
    static std::size_t frames_besides_superblocks() {
        return model_node_given - heap::pool_of(node_id(0)).use().superblocks * heap::superblock_bytes();
    }
    static void check_bins(CoreHeap& heap) {
        for (std::size_t bin = 0; bin < heap::small_bin_count; ++bin)
            check(heap.small(bin).is_consistent(), "what a bin has fits together");
    }
    static void check_empty(CoreHeap& heap) {
        check_bins(heap);
        heap.trim();
        heap::CoreUse const use = heap.use();
        check(use.parked == 0, "something is parked that is not there");
        check(use.max_parked <= 4 * KiB, "more is taken back than was parked");
        check(use.live_bytes == 0 && heap.blocks().used() == 0, "an object is lost");
        check(use.superblocks == 0, "a superblock is held for nothing");
    }

    std::array<CoreHeap*, max_model_threads> heaps_{};
    std::array<heap::Superblock*, 2> superblocks_{};
    std::array<Object, 8> objects_{};
};

} // namespace mxk::test
