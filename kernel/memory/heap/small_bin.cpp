#include "kernel/memory/heap/small_bin.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "base/panic.hpp"
#include "kernel/memory/heap/checked_heap.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/magazine.hpp"

namespace mxk::heap {
namespace {

using State = SmallBlock::State;

constexpr std::size_t min_chains = 16;

} // namespace

SmallBin::SmallBin(CoreHeap& heap, std::size_t object_bytes)
    : heap_(heap)
    , max_chains_(static_cast<std::uint32_t>(std::max(min_chains, block_bytes / object_bytes)))
    , object_bytes_(static_cast<std::uint32_t>(object_bytes)) {
    // The batch that makes the stack too high comes on top of it first.
    ring_mask_ = std::bit_ceil(max_chains_ + static_cast<std::uint32_t>(Magazine::max_batch)) - 1;
}

std::size_t SmallBin::take(std::span<void*> room) {
    std::size_t left = room.size();
    while (left > 0 && find_objects(left == room.size())) {
        if (top_.list == nullptr) {
            left -= carve(room.first(left));
            continue;
        }
        std::uint32_t const length = top_.length;
        do {
            room[--left] = top_.list;
            top_.list = top_.list->next();
            --top_.length;
        } while (top_.list != nullptr && left > 0);
        top_.block->in_stack -= length - top_.length;
    }
    std::size_t const taken = room.size() - left;
    if (left > 0) std::copy(room.begin() + static_cast<std::ptrdiff_t>(left), room.end(), room.begin());
    free_ -= taken;
    return taken;
}

// What was never given out of the newest chain's block, in front of what `room` has already.
std::size_t SmallBin::carve(std::span<void*> room) {
    SmallBlock& block = *top_.block;
    std::size_t const carved = std::min<std::size_t>(room.size(), block.rest_objects);
    for (std::size_t i = 0; i < carved; ++i, block.never_used += object_bytes_) {
        // What stands there may look like an object that was freed.
        if constexpr (is_checked) std::fill_n(block.never_used, std::min<std::size_t>(object_bytes_, 64), std::byte{0});
        room[room.size() - 1 - i] = block.never_used;
    }
    block.rest_objects -= static_cast<std::uint32_t>(carved);
    return carved;
}

// Makes the newest chain one that has something to give: of a list, or, if that is empty, of what was never given out.
// False: there is none without another block, or without memory.
bool SmallBin::find_objects(bool may_take_block) {
    for (;;) {
        if (top_.list != nullptr) return true;
        if (top_.block != nullptr && top_.has_rest && top_.block->rest_objects != 0) {
            SmallBlock& block = *top_.block;
            if (block.rest == nullptr) return true;
            top_.list = block.rest;
            top_.length = top_.list->length();
            block.rest = top_.list->list_behind();
            block.rest_objects -= top_.length;
            block.in_stack += top_.length;
            return true;
        }
        end_top();
        if (newest_ != oldest_) {
            Chain const chain = entry(--newest_);
            top_ = {chain.list(), &chain.block(), chain.list() != nullptr ? chain.list()->length() : 0,
                    chain.has_rest()};
            continue;
        }
        if (!may_take_block) return false;
        SmallBlock* const block = find_block();
        if (block == nullptr && top_.block == nullptr) return false;
        if (block != nullptr) begin_with_rest(*block);
    }
}

// All that is free of a block as a chain.
void SmallBin::begin_with_rest(SmallBlock& block) {
    put_top_aside(); // there may be what others have freed meanwhile, if that is taken for hot
    ++block.chains;
    block.state = State::InStack;
    top_ = {nullptr, &block, 0, true};
}

void SmallBin::end_top() {
    if (top_.block == nullptr) return;
    SmallBlock& block = *top_.block;
    top_ = {};
    leave_stack(block);
}

// In two steps, so that the chains of a batch are as long as they can be.
void SmallBin::give_back(std::span<void* const> objects) {
    std::array<SmallBlock*, Magazine::max_batch> touched;
    std::size_t count = 0;
    for (std::size_t at = 0; at < objects.size();) {
        SmallBlock& block = SmallBlock::of(objects[at]);
        BlockNumber const number = block_number_of(objects[at]);
        std::size_t const first = at;
        FreeObject* list = block.batch;
        do {
            list = FreeObject::link(objects[at++], list);
        } while (at < objects.size() && block_number_of(objects[at]) == number);
        block.batch = list;
        if (block.batch_objects == 0) touched[count++] = &block;
        block.batch_objects += static_cast<std::uint32_t>(at - first);
    }
    free_ += objects.size();
    for (SmallBlock* const block : std::span(touched).first(count)) {
        FreeObject* const list = block->batch;
        std::uint32_t const length = block->batch_objects;
        block->batch = nullptr;
        block->batch_objects = 0;
        push(*block, list, length);
        if (heap_.purges() && block->in_stack + block->rest_objects == block->objects) purge(*block);
    }
    if (newest_ - oldest_ >= min_chains) drop_beyond_limit();
}

void SmallBin::push(SmallBlock& block, FreeObject* list, std::uint32_t length) {
    ++chains_;
    chain_objects_ += length;
    put_top_aside();
    ++block.chains;
    block.state = State::InStack;
    block.in_stack += length;
    top_ = {list, &block, length, false};
}

// The newest chain goes below the one that is about to begin, unless nothing is left of it.
void SmallBin::put_top_aside() {
    if (top_.block == nullptr) return;
    if (top_.list == nullptr && (!top_.has_rest || top_.block->rest_objects == 0)) return end_top();
    if (top_.list != nullptr) top_.list->put_down(top_.length, nullptr);
    entry(newest_++) = Chain(top_.list, *top_.block, top_.has_rest);
    top_ = {};
}

// With the newest one, so many may be.
void SmallBin::drop_beyond_limit() {
    for (std::size_t const limit = chain_limit(); newest_ - oldest_ + 1 > limit;) drop_oldest();
}

void SmallBin::drop_oldest() {
    Chain const chain = entry(oldest_++);
    leave_list(chain);
    leave_stack(chain.block());
}

// Its objects are again what is free of its block.
void SmallBin::leave_list(Chain const& chain) {
    if (chain.list() == nullptr) return;
    chain.block().in_stack -= chain.list()->length();
    add_to_rest(chain.block(), chain.list());
}

// All chains of the block, of which the newest one has just begun.
void SmallBin::purge(SmallBlock& block) {
    put_top_aside();
    std::uint32_t kept = oldest_;
    for (std::uint32_t at = oldest_; at != newest_; ++at) {
        Chain const chain = entry(at);
        if (&chain.block() == &block)
            leave_list(chain);
        else
            entry(kept++) = chain;
    }
    newest_ = kept;
    block.chains = 0;
    classify(block);
}

// A short list is joined with the one that is there, so that they do not become many.
void SmallBin::add_to_rest(SmallBlock& block, FreeObject* list) {
    constexpr std::uint32_t short_length = 8;
    std::uint32_t const length = list->length();
    if (length <= short_length) {
        FreeObject* last = list;
        while (last->next() != nullptr) last = last->next();
        return add_to_rest(block, list, last, length);
    }
    block.rest_objects += length;
    list->put_down(length, block.rest);
    block.rest = list;
}

void SmallBin::add_to_rest(SmallBlock& block, FreeObject* first, FreeObject* last, std::uint32_t length) {
    block.rest_objects += length;
    FreeObject* const rest = block.rest;
    block.rest = first;
    if (rest == nullptr) return first->put_down(length, nullptr);
    first->put_down(length + rest->length(), rest->list_behind());
    last->set_next(rest);
}

void SmallBin::leave_stack(SmallBlock& block) {
    if (--block.chains == 0) classify(block);
}

void SmallBin::take_back(FreeObject* first, FreeObject* last, std::uint32_t length, SmallBlock& block, bool is_hot) {
    free_ += length;
    if (is_hot) [[unlikely]] {
        push(block, first, length);
        return drop_beyond_limit();
    }
    add_to_rest(block, first, last, length);
    if (block.chains == 0) classify(block);
}

void SmallBin::empty_stack() {
    put_top_aside();
    while (newest_ != oldest_) drop_oldest();
}

// Of a block without chains: all that is free of it is its rest.
void SmallBin::classify(SmallBlock& block) {
    if (block.rest_objects == block.objects) {
        unlist(block);
        free_ -= block.objects;
        objects_ -= block.objects;
        --blocks_;
        heap_.give_back_block(block);
        return;
    }
    block.state = block.rest_objects == 0                   ? State::Full
                  : block.rest_objects <= block.objects / 2 ? State::NearlyFull
                                                            : State::NearlyEmpty;
    if (block.state != State::Full) list_as(block, block.state);
}

// A block that leaves a state stays in its list until somebody meets it there: it often comes back.
void SmallBin::list_as(SmallBlock& block, State state) {
    if (block.listed == state) return;
    unlist(block);
    list_of(state).insert_behind(nullptr, block);
    block.listed = state;
}

void SmallBin::unlist(SmallBlock& block) {
    if (block.listed == State::Full) return;
    list_of(block.listed).remove(block);
    block.listed = State::Full;
}

SmallBlockList& SmallBin::list_of(State state) {
    return state == State::NearlyFull ? nearly_full_ : nearly_empty_;
}

SmallBlock* SmallBin::first_of(SmallBlockList& list, State state) {
    while (SmallBlock* const block = list.first()) {
        if (block->state == state) return block;
        unlist(*block);
    }
    return nullptr;
}

SmallBlock* SmallBin::find_block() {
    do {
        if (SmallBlock* const block = first_of(nearly_full_, State::NearlyFull)) return block;
        if (SmallBlock* const block = first_of(nearly_empty_, State::NearlyEmpty)) return block;
    } while (heap_.take_back_returned() && top_.block == nullptr);
    return top_.block == nullptr ? make_block() : nullptr;
}

SmallBlock* SmallBin::make_block() {
    if (ring_ == nullptr) {
        ring_ = heap_.arena().make<Chain>(ring_mask_ + 1).data();
        if (ring_ == nullptr) return nullptr;
    }
    Slot const slot = heap_.take_block();
    if (slot.superblock == nullptr) return nullptr;
    std::byte* const start = heap_.blocks().address_of(slot);
    SmallBlock& block = SmallBlock::of(start);
    new (&block) SmallBlock{};
    block.owner = &heap_;
    block.bin = this;
    block.superblock = slot.superblock;
    block.slot = slot.number;
    block.object_bytes = object_bytes_;
    bool const is_first_of_group = is_aligned(reinterpret_cast<std::uintptr_t>(start), SmallBlock::group_bytes);
    std::size_t const taken = is_first_of_group ? SmallBlock::descriptions_bytes : 0;
    block.never_used = start + taken;
    block.objects = static_cast<std::uint32_t>((block_bytes - taken) / object_bytes_);
    block.rest_objects = block.objects;
    free_ += block.objects;
    objects_ += block.objects;
    ++blocks_;
    return &block;
}

// Twice the fewest blocks that the live objects need, so that no more than half of the room is held up by the stack; no
// fewer than 16, and no more than objects fit into a block.
std::size_t SmallBin::chain_limit() const {
    std::size_t const live = objects_ - free_;
    return std::clamp<std::size_t>(live * object_bytes_ / (block_bytes / 2), min_chains, max_chains_);
}

BinUse SmallBin::use() const {
    return {.live = objects_ - free_,
            .blocks = blocks_,
            .objects = objects_,
            .chains = chains_,
            .chain_objects = chain_objects_};
}

bool SmallBin::is_consistent() const {
    std::size_t in_stack = top_.length;
    bool is_right = newest_ - oldest_ <= max_chains_ && (top_.list == nullptr) == (top_.length == 0) &&
                    (top_.block == nullptr || top_.length <= top_.block->in_stack);
    for (std::uint32_t at = oldest_; at != newest_; ++at) {
        Chain const& chain = entry(at);
        SmallBlock const& block = chain.block();
        std::uint32_t const length = chain.list() != nullptr ? chain.list()->length() : 0;
        in_stack += length;
        is_right = is_right && block.state == State::InStack && block.chains > 0 && block.bin == this &&
                   length <= block.in_stack && block.in_stack + block.rest_objects <= block.objects &&
                   (chain.list() != nullptr || chain.has_rest());
    }
    for (SmallBlockList const* const list : {&nearly_full_, &nearly_empty_}) {
        State const state = list == &nearly_full_ ? State::NearlyFull : State::NearlyEmpty;
        for (SmallBlock const* block = list->first(); block != nullptr; block = SmallBlockList::next(*block)) {
            bool const is_free_by_half = block->rest_objects > block->objects / 2;
            is_right = is_right && block->listed == state &&
                       (block->state != state ||
                        (block->rest_objects != 0 && is_free_by_half == (state == State::NearlyEmpty)));
        }
    }
    return is_right && in_stack <= free_ && free_ <= objects_;
}

} // namespace mxk::heap
