#include "kernel/memory/heap/core_heap.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "arch/attention.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/refusal.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::heap {
namespace {

constexpr std::size_t cached_superblocks_of_blocks = 8;
constexpr std::size_t cached_superblocks_of_a_medium_bin = 1;
constexpr std::size_t frame_bytes = FrameAllocator::frame_bytes;
constexpr std::size_t large_page_bytes = 2 * MiB;
static_assert((max_medium_bytes + cache_line_bytes) * 4 <= large_page_bytes);

template <std::size_t... bins>
std::array<SmallBin, small_bin_count> make_bins(CoreHeap& heap, std::index_sequence<bins...> /*all*/) {
    return {SmallBin(heap, small_sizes[bins])...};
}

template <std::size_t... bins>
std::array<SlotAllocator, medium_bin_count> make_medium(MetadataArena& arena, SuperblockPool& pool,
                                                        std::index_sequence<bins...> /*all*/) {
    return {SlotAllocator(arena, pool, medium_sizes[bins] + cache_line_bytes, cached_superblocks_of_a_medium_bin)...};
}

// What a large object is rounded up to.
std::size_t whole_frames(std::size_t bytes) {
    return std::max<std::size_t>(align_up(bytes, frame_bytes), frame_bytes);
}

} // namespace

CoreHeap::CoreHeap(CoreId core, NodeId node)
    : arena_(node)
    , pool_(pool_of(node))
    , blocks_(arena_, pool_, block_bytes, cached_superblocks_of_blocks)
    , bins_(make_bins(*this, std::make_index_sequence<small_bin_count>()))
    , medium_(make_medium(arena_, pool_, std::make_index_sequence<medium_bin_count>()))
    , core_(core) {}

CoreHeap::CoreHeap(NodeId node)
    : CoreHeap(CoreId{}, node) {
    has_core_ = false;
}

void* CoreHeap::allocate_beyond(std::size_t bytes) {
    return bytes <= max_medium_bytes ? allocate_medium(bytes) : allocate_large(bytes, frame_bytes);
}

void* CoreHeap::allocate_beyond(std::size_t bytes, std::size_t alignment) {
    if (alignment > max_bin_alignment) return allocate_large(bytes, std::max(alignment, frame_bytes));
    return allocate_beyond(bytes);
}

void* CoreHeap::allocate_medium(std::size_t bytes) {
    if (inject::refuses_memory()) return nullptr;
    SlotAllocator& slots = medium_[medium_bin_of(bytes)];
    take_back_if_much();
    if (!slots.has_free()) take_back_returned(); // before another superblock is taken
    Slot slot = slots.take();
    if (slot.superblock == nullptr) [[unlikely]] {
        give_back_cached();
        slot = slots.take();
        if (slot.superblock == nullptr) return nullptr;
    }
    auto* const head = new (static_cast<void*>(slots.address_of(slot))) MediumHead{this, &slots, slot};
    return head + 1;
}

void* CoreHeap::allocate_large(std::size_t bytes, std::size_t alignment) {
    if (bytes >= large_page_bytes) alignment = std::max(alignment, large_page_bytes);
    if (bytes > SIZE_MAX / 2 || alignment > FrameAllocator::max_alignment) return nullptr;
    std::size_t const whole = whole_frames(bytes);
    auto block = memory::allocate(whole, alignment, pool_.node());
    if (!block) {
        give_back_cached();
        block = memory::allocate(whole, alignment, pool_.node());
        if (!block) return nullptr;
    }
    pool_of(block.value().node).count_large(whole);
    return block.value().address;
}

Slot CoreHeap::take_block() {
    Slot const slot = blocks_.take();
    if (slot.superblock != nullptr) return slot;
    give_back_cached();
    return blocks_.take();
}

// What this core keeps only to be quick, where memory has run out.
void CoreHeap::give_back_cached() {
    take_back_returned();
    blocks_.give_back_cached();
    for (SlotAllocator& slots : medium_) slots.give_back_cached();
}

void* CoreHeap::refill(std::size_t bin) {
    if (inject::refuses_memory()) return nullptr;
    Magazine& magazine = magazines_[bin];
    std::size_t const limit = limit_of(bin);
    if (!magazine.has_room()) {
        std::span<void*> const room = arena_.make<void*>(limit + 1);
        if (room.empty()) return nullptr;
        magazine.take_room(room);
    }
    take_back_if_much();
    give_back_spent(max_spent);
    if (magazine.top[-1] == nullptr) { // else one of these
        std::size_t const taken = bins_[bin].take({magazine.top, std::min(limit / 2, Magazine::max_batch)});
        if (taken == 0) return nullptr;
        magazine.top += taken;
    }
    return *--magazine.top;
}

// Within a long task, too: the safe point may be far.
void CoreHeap::take_back_if_much() {
    if (parked_.load(std::memory_order_relaxed) >= max_parked_bytes) take_back_returned();
}

void CoreHeap::deallocate_to_full(void* object, std::size_t bin) {
    take_back_if_much();
    give_back_oldest(bin, limit_of(bin) / 2);
    *magazines_[bin].top++ = object;
}

void CoreHeap::give_back_oldest(std::size_t bin, std::size_t count) {
    Magazine& magazine = magazines_[bin];
    std::span<void*> const objects = magazine.objects(limit_of(bin));
    for (std::size_t at = 0; at < count; at += Magazine::max_batch)
        bins_[bin].give_back(objects.subspan(at, std::min(count - at, Magazine::max_batch)));
    std::ranges::copy(objects.subspan(count), objects.begin());
    magazine.top -= count;
}

void CoreHeap::deallocate_beyond(void* object, std::size_t bytes) {
    if (bytes <= max_medium_bytes) return deallocate_medium(object);
    deallocate_large(object, bytes);
}

void CoreHeap::deallocate_beyond(void* object, std::size_t bytes, std::size_t alignment) {
    if (alignment > max_bin_alignment) return deallocate_large(object, bytes);
    deallocate_beyond(object, bytes);
}

void CoreHeap::deallocate_medium(void* object) {
    MediumHead const& head = MediumHead::of(object);
    if (head.owner == this) return head.slots->give_back(head.slot);
    ++sent_;
    ++sent_batches_;
    head.owner->receive_medium(object, head.slots->stride());
}

void CoreHeap::deallocate_large(void* object, std::size_t bytes) {
    memory::Block const block{static_cast<std::byte*>(object), whole_frames(bytes), memory::node_of(object)};
    pool_of(block.node).uncount_large(block.bytes);
    memory::free(block);
}

void CoreHeap::send_back(void* object, std::size_t bytes, std::size_t alignment) {
    if (alignment > max_bin_alignment || bytes > max_medium_bytes) return deallocate_large(object, bytes);
    if (bytes > max_small_bytes) {
        MediumHead const& head = MediumHead::of(object);
        return head.owner->receive_medium(object, head.slots->stride());
    }
    SmallBlock const& block = SmallBlock::of(object);
    block.owner->receive_small(object, block.object_bytes);
}

// Into the batch for its owner.
void CoreHeap::collect(void* object, SmallBlock const& block) {
    Outgoing& outgoing = outgoing_[block.owner->place_of_outgoing()];
    if (outgoing.owner != block.owner) [[unlikely]] {
        if (outgoing.batch != nullptr) send(outgoing);
        outgoing.owner = block.owner;
    }
    if (outgoing.batch == nullptr) [[unlikely]] {
        outgoing.batch =
            spent_ != nullptr ? take_spent() : static_cast<RemoteFreeBatch*>(allocate(sizeof(RemoteFreeBatch)));
        if (outgoing.batch == nullptr) { // no memory: alone, then
            ++sent_;
            ++sent_batches_;
            return block.owner->receive_small(object, block.object_bytes);
        }
        outgoing.batch->count = 0;
        outgoing.batch->bytes = 0;
    }
    RemoteFreeBatch& batch = *outgoing.batch;
    batch.objects[batch.count++] = object;
    batch.bytes += block.object_bytes;
    if (batch.count == batch_objects || batch.bytes >= batch_bytes) send(outgoing);
}

void CoreHeap::send(Outgoing& outgoing) {
    RemoteFreeBatch& batch = *std::exchange(outgoing.batch, nullptr);
    sent_ += batch.count;
    ++sent_batches_;
    batch.is_hot = variant_.is_hot(core_, outgoing.owner->core_);
    outgoing.owner->receive(batch);
}

void CoreHeap::receive(RemoteFreeBatch& batch) {
    add_parked(batch.bytes); // first: who takes it back subtracts it
    inject::point();
    RemoteFreeBatch* before = batches_.load(std::memory_order_relaxed);
    do {
        batch.next = before;
        inject::point();
        // release: pairs with the exchange of who takes it; what the objects' last users did comes before.
    } while (!batches_.compare_exchange_weak(before, &batch, std::memory_order_release, std::memory_order_relaxed));
}

// Onto a list of objects, linked through themselves.
void CoreHeap::receive(std::atomic<FreeObject*>& list, void* object) {
    FreeObject* before = list.load(std::memory_order_relaxed);
    do {
        FreeObject::link(object, before);
        inject::point();
        // release: as above
    } while (!list.compare_exchange_weak(before, static_cast<FreeObject*>(object), std::memory_order_release,
                                         std::memory_order_relaxed));
}

void CoreHeap::receive_small(void* object, std::size_t bytes) {
    add_parked(bytes);
    receive(returned_, object);
}

void CoreHeap::receive_medium(void* object, std::size_t bytes) {
    add_parked(bytes);
    receive(returned_medium_, object);
}

// relaxed: only a sum. The caller that makes it pass the limit tells the owner, who looks for what is there by then;
// what comes a moment later, the next one's notice or the owner's sleep finds.
void CoreHeap::add_parked(std::size_t bytes) {
    std::size_t const before = parked_.fetch_add(bytes, std::memory_order_relaxed);
    bool const passes = before / max_parked_bytes != (before + bytes) / max_parked_bytes;
    if (!passes) return;
    if (has_core_) return arch::notify(core_, arch::Attention::Heap);
    tend_outside(*this);
}

bool CoreHeap::take_back_returned() {
    if (batches_.load(std::memory_order_relaxed) == nullptr && returned_.load(std::memory_order_relaxed) == nullptr &&
        returned_medium_.load(std::memory_order_relaxed) == nullptr)
        return false;
    ++drains_;
    max_parked_ = std::max(max_parked_, parked_.load(std::memory_order_relaxed));
    inject::point();
    take_back_batches();
    take_back_small();
    take_back_medium();
    return true;
}

void CoreHeap::take_back_batches() {
    // acquire, as below: pairs with the release of who sent them.
    RemoteFreeBatch* batch = batches_.exchange(nullptr, std::memory_order_acquire);
    std::size_t bytes = 0;
    while (batch != nullptr) {
        RemoteFreeBatch* const next = batch->next;
        bytes += batch->bytes;
        take_back(*batch);
        batch->next = std::exchange(spent_, batch);
        ++spent_count_;
        batch = next;
    }
    parked_.fetch_sub(bytes, std::memory_order_relaxed);
}

// Batches that have come are the next ones that are sent, but for those beyond `kept`, which go home. Alone: a batch
// for them would be the next one to go home. Not while a magazine or a bin is being changed, which this changes, too.
void CoreHeap::give_back_spent(std::size_t kept) {
    while (spent_count_ > kept) {
        RemoteFreeBatch* const batch = take_spent();
        SmallBlock const& block = SmallBlock::of(batch);
        if (block.owner == this)
            deallocate(batch, sizeof(RemoteFreeBatch));
        else
            block.owner->receive_small(batch, block.object_bytes);
    }
}

CoreHeap::RemoteFreeBatch* CoreHeap::take_spent() {
    --spent_count_;
    return std::exchange(spent_, spent_->next);
}

// Objects of a block that stand one behind the other are one list.
void CoreHeap::take_back(RemoteFreeBatch const& batch) {
    std::span<void* const> const objects = std::span(batch.objects).first(batch.count);
    for (void* const object : objects) __builtin_prefetch(object, 1); // they are in another core's cache
    for (std::size_t at = 0; at < objects.size();) {
        SmallBlock& block = SmallBlock::of(objects[at]);
        BlockNumber const number = block_number_of(objects[at]);
        std::size_t const first = at;
        FreeObject* list = nullptr;
        do {
            list = FreeObject::link(objects[at++], list);
        } while (at < objects.size() && block_number_of(objects[at]) == number);
        block.bin->take_back(list, static_cast<FreeObject*>(objects[first]), static_cast<std::uint32_t>(at - first),
                             block, batch.is_hot);
    }
}

void CoreHeap::take_back_small() {
    FreeObject* object = returned_.exchange(nullptr, std::memory_order_acquire);
    std::size_t bytes = 0;
    while (object != nullptr) {
        FreeObject* const next = object->next();
        SmallBlock& block = SmallBlock::of(object);
        bytes += block.object_bytes;
        block.bin->take_back(FreeObject::link(object, nullptr), object, 1, block);
        object = next;
    }
    parked_.fetch_sub(bytes, std::memory_order_relaxed);
}

void CoreHeap::take_back_medium() {
    FreeObject* object = returned_medium_.exchange(nullptr, std::memory_order_acquire);
    std::size_t bytes = 0;
    while (object != nullptr) {
        FreeObject* const next = object->next();
        MediumHead const& head = MediumHead::of(object);
        bytes += head.slots->stride();
        head.slots->give_back(head.slot);
        object = next;
    }
    parked_.fetch_sub(bytes, std::memory_order_relaxed);
}

void CoreHeap::settle() {
    for (Outgoing& outgoing : outgoing_)
        if (outgoing.batch != nullptr) send(outgoing);
    take_back_returned();
    give_back_spent(0);
}

void CoreHeap::trim() {
    settle();
    for (std::size_t bin = 0; bin < small_bin_count; ++bin) {
        give_back_oldest(bin, ready(bin));
        bins_[bin].empty_stack();
    }
    give_back_cached();
}

std::size_t CoreHeap::place_of_outgoing() const {
    return index(core_) % outgoing_.size();
}

CoreUse CoreHeap::use() const {
    std::size_t live = 0;
    std::size_t superblocks = blocks_.superblocks();
    for (std::size_t bin = 0; bin < small_bin_count; ++bin)
        live += (bins_[bin].use().live - ready(bin)) * small_sizes[bin];
    for (std::size_t bin = 0; bin < medium_bin_count; ++bin) {
        live += medium_[bin].used() * medium_sizes[bin];
        superblocks += medium_[bin].superblocks();
    }
    return {.live_bytes = live,
            .superblocks = superblocks,
            .sent = sent_,
            .batches = sent_batches_,
            .drains = drains_,
            .parked = parked_.load(std::memory_order_relaxed),
            .max_parked = max_parked_,
            .metadata_bytes = arena_.bytes()};
}

} // namespace mxk::heap
