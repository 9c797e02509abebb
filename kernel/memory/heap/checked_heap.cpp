#include "kernel/memory/heap/checked_heap.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "base/panic.hpp"
#include "base/units.hpp"
#include "kernel/memory/heap/heap.hpp"

namespace mxk::heap {

#ifdef MXK_CHECK_HEAP

namespace {

// Marks depend on the head's address, so that one that was copied is none, and on where the object begins: the same
// memory may have held one of another alignment.
constexpr std::uint64_t live_mark = 0x6c69'7665'6f62'6a65;
constexpr std::uint64_t freed_mark = 0x6672'6565'6f62'6a65;
constexpr std::uint8_t red_byte = 0xfb;
constexpr std::uint8_t poison_byte = 0xdb;
constexpr std::size_t zone_bytes = 16;

// The first 16 bytes of what was freed are the free list's.
struct Head {
    std::array<std::uint64_t, 2> links;
    std::uint64_t mark;
    std::uint32_t bytes;
    std::uint32_t site; // in `sites`
};
static_assert(sizeof(Head) == 32);

struct Site {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::size_t> objects{0};
    std::atomic<std::size_t> bytes{0};
};
// The last one stands for all that there was no room for.
constexpr std::size_t site_count = 2048;
constinit std::array<Site, site_count + 1> sites{};

std::uint64_t mark_of(Head const& head, std::uint64_t mark, std::size_t room) {
    return mark ^ reinterpret_cast<std::uintptr_t>(&head) ^ std::uint64_t{room} << 48;
}

// relaxed everywhere: who takes a place first has it, and counts are only sums.
std::uint32_t site_of(std::uintptr_t address) {
    std::size_t at = address * 0x9e37'79b9'7f4a'7c15 >> 53; // 11 bits
    for (std::size_t tries = 0; tries < 32; ++tries, at = (at + 1) % site_count) {
        std::uintptr_t known = sites[at].address.load(std::memory_order_relaxed);
        if (known == 0 && sites[at].address.compare_exchange_strong(known, address, std::memory_order_relaxed))
            known = address;
        if (known == address) return static_cast<std::uint32_t>(at);
    }
    return site_count;
}

std::size_t head_room(std::size_t alignment) {
    return align_up(sizeof(Head) + zone_bytes, std::max(alignment, min_alignment));
}
bool has_only(std::byte const* bytes, std::size_t count, std::uint8_t value) {
    return std::all_of(bytes, bytes + count, [value](std::byte byte) { return byte == std::byte{value}; });
}
// The room between the head and the object.
std::size_t gap_of(std::size_t alignment) {
    return head_room(alignment) - sizeof(Head);
}
// Only of small objects: the memory of others may have been somebody else's meanwhile.
bool is_known_when_freed(std::size_t whole) {
    return whole <= max_small_bytes;
}

} // namespace

[[gnu::noinline]] void* allocate_checked(std::size_t bytes, std::size_t alignment) {
    if (alignment > max_bin_alignment) return allocate_unchecked(bytes, alignment);
    if (bytes > UINT32_MAX) return nullptr;
    std::size_t const room = head_room(alignment);
    std::size_t const whole = room + bytes + zone_bytes;
    auto* const place = static_cast<std::byte*>(allocate_unchecked(whole, alignment));
    if (place == nullptr) return nullptr;
    auto& head = *reinterpret_cast<Head*>(place);
    std::byte* const object = place + room;
    if (is_known_when_freed(whole) && head.mark == mark_of(head, freed_mark, room) && head.bytes == bytes &&
        !has_only(object, bytes, poison_byte))
        panic("the {} bytes at {} were written after they had been freed", bytes, object);
    auto const site = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    head = {{}, mark_of(head, live_mark, room), static_cast<std::uint32_t>(bytes), site_of(site)};
    std::memset(place + sizeof(Head), red_byte, gap_of(alignment));
    std::memset(object + bytes, red_byte, zone_bytes);
    sites[head.site].objects.fetch_add(1, std::memory_order_relaxed);
    sites[head.site].bytes.fetch_add(bytes, std::memory_order_relaxed);
    return object;
}

[[gnu::noinline]] void deallocate_checked(void* object, std::size_t bytes, std::size_t alignment) {
    if (alignment > max_bin_alignment) return deallocate_unchecked(object, bytes, alignment);
    auto* const start = static_cast<std::byte*>(object);
    std::size_t const room = head_room(alignment);
    std::byte* const place = start - room;
    auto& head = *reinterpret_cast<Head*>(place);
    if (head.mark == mark_of(head, freed_mark, room)) panic("double free: the object at {} is free already", object);
    if (head.mark != mark_of(head, live_mark, room))
        panic("what is freed at {} is no object of the heap, or what stands in front of it was overwritten", object);
    if (head.bytes != bytes) panic("{} bytes are freed at {}, {} were allocated", bytes, object, head.bytes);
    if (!has_only(place + sizeof(Head), gap_of(alignment), red_byte))
        panic("somebody has written in front of the {} bytes at {}", bytes, object);
    if (!has_only(start + bytes, zone_bytes, red_byte))
        panic("somebody has written behind the {} bytes at {}", bytes, object);
    sites[head.site].objects.fetch_sub(1, std::memory_order_relaxed);
    sites[head.site].bytes.fetch_sub(bytes, std::memory_order_relaxed);
    head.mark = mark_of(head, freed_mark, room);
    std::memset(start, poison_byte, bytes);
    deallocate_unchecked(place, room + bytes + zone_bytes, alignment);
}

void for_each_holder(void (*visit)(Holder const& holder, void* context), void* context) {
    for (Site const& site : sites) {
        std::size_t const objects = site.objects.load(std::memory_order_relaxed);
        if (objects == 0) continue;
        visit({site.address.load(std::memory_order_relaxed), objects, site.bytes.load(std::memory_order_relaxed)},
              context);
    }
}

#else

void for_each_holder(void (*)(Holder const&, void*), void*) {}

#endif

} // namespace mxk::heap
