#include "arch/stacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/memory/tlb.hpp"
#include "arch/x86_64/start/boot_stacks.hpp"
#include "base/panic.hpp"
#include "base/spin_lock.hpp"

namespace mxk::arch::stacks {
namespace {

// Stacks of one size, a power of two, lie side by side in slots of twice that: half a slot is guard. Their descriptions
// lie in an array of addresses behind all slots, whose pages are mapped as slots are first used, and stay: so the
// number of stacks has no limit but memory, and the description of a stack whose memory is gone can still be read.
//
//   | not mapped: guard .............. | stack, grows down ............ |
//   slot                               bottom                           slot end
constexpr unsigned sizes = std::countr_zero(max_bytes) - std::countr_zero(min_bytes) + 1;
constexpr std::uint64_t bytes_per_size = std::uint64_t{1} << 40; // of addresses

// A slot's: in use, kept (has memory, is in `kept`), or empty (has none, is in `empty`).
struct alignas(128) Description {
    Stack stack;
    SourceBlock memory;
    Description* next = nullptr; // in one of the lists
};
constexpr std::uint64_t descriptions_base = stacks_base + sizes * bytes_per_size;
constexpr std::uint64_t descriptions_per_page = page_bytes / sizeof(Description);
static_assert(page_bytes % sizeof(Description) == 0);

// All stacks of one size.
struct Size {
    std::atomic<std::uint64_t> count{0}; // slots that have a description; release, acquire: it is complete
    Description* kept = nullptr;
    Description* empty = nullptr;
};
constinit SpinLock lock{lock_bands::memory.rank(0)}; // all but reading the counts
constinit std::array<Size, sizes> all{};
constinit std::uint64_t kept_bytes = 0;

unsigned size_for(std::uint64_t bytes) {
    return static_cast<unsigned>(std::bit_width(std::max(bytes, min_bytes) - 1) - std::countr_zero(min_bytes));
}
constexpr std::uint64_t slot_bytes(unsigned size) {
    return 2 * min_bytes << size;
}
constexpr std::uint64_t slot_start(unsigned size, std::uint64_t slot) {
    return stacks_base + size * bytes_per_size + slot * slot_bytes(size);
}
constexpr std::uint64_t max_slots = bytes_per_size / slot_bytes(0); // of any size
static_assert(descriptions_base + sizes * max_slots * sizeof(Description) <= four_kibibyte_view_base);

Description* description(unsigned size, std::uint64_t slot) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<Description*>(descriptions_base) + size * max_slots + slot;
}

// Of the stack in whose slot the address lies.
Description* find(std::uint64_t address) {
    if (address < stacks_base || address >= stacks_base + sizes * bytes_per_size) return nullptr;
    auto const size = static_cast<unsigned>((address - stacks_base) / bytes_per_size);
    std::uint64_t const slot = (address - slot_start(size, 0)) / slot_bytes(size);
    if (slot >= all[size].count.load(std::memory_order_acquire)) return nullptr;
    return description(size, slot);
}

// Below: with the lock held.

Description* take_kept(unsigned size, NodeId node) {
    for (Description** link = &all[size].kept; *link != nullptr; link = &(*link)->next) {
        if ((*link)->stack.node != node) continue;
        kept_bytes -= (*link)->stack.bytes;
        return std::exchange(*link, (*link)->next);
    }
    return nullptr;
}

// Takes stacks out of those that are kept, and out of the address space, until no more than `bytes` are left.
Description* unmap_kept(std::uint64_t bytes) {
    Description* taken = nullptr;
    for (unsigned size = sizes; size-- > 0;) {
        while (kept_bytes > bytes && all[size].kept != nullptr) {
            Description* const last = std::exchange(all[size].kept, all[size].kept->next);
            kept_bytes -= last->stack.bytes;
            unmap(last->stack.bottom, last->stack.bytes);
            last->next = std::exchange(taken, last);
        }
    }
    return taken;
}

// The description of a slot that has none yet, or of one whose memory was given back; in no list.
Result<Description*> take_slot(unsigned size) {
    if (all[size].empty != nullptr) return std::exchange(all[size].empty, all[size].empty->next);
    std::uint64_t const slot = all[size].count.load(std::memory_order_relaxed);
    if ((slot + 1) * slot_bytes(size) > bytes_per_size)
        return Error::of("no addresses for more than {} stacks of {} bytes", slot, slot_bytes(size) / 2);
    Description* const place = description(size, slot);
    if (slot % descriptions_per_page == 0 && !translate(reinterpret_cast<std::uint64_t>(place))) {
        auto const frame = take_memory(page_bytes, page_bytes, node_id(0));
        if (!frame) return Error("no memory on any node for the descriptions of stacks");
        auto const mapped = map(reinterpret_cast<std::uint64_t>(place), to_physical(frame->address), page_bytes,
                                Access::ReadWrite, page_bytes);
        if (!mapped) {
            give_memory(*frame);
            return mapped.error();
        }
    }
    new (static_cast<void*>(place)) Description;
    std::uint64_t const end = slot_start(size, slot + 1);
    place->stack = {end - slot_bytes(size) / 2, slot_bytes(size) / 2, "unused", {}};
    all[size].count.store(slot + 1, std::memory_order_release);
    return place;
}

// Without the lock: what is unmapped loses its memory, and its slot may be used again.
void give_back(Description* unmapped) {
    if (unmapped == nullptr) return;
    forget_translations();
    LockGuard const guard(lock);
    while (unmapped != nullptr) {
        Description* const next = unmapped->next;
        give_memory(std::exchange(unmapped->memory, {}));
        Size& size = all[size_for(unmapped->stack.bytes)];
        unmapped->next = std::exchange(size.empty, unmapped);
        unmapped = next;
    }
}

// One of those that are kept, or a new one; on an error `unmapped` is for give_back().
Result<Stack> try_create(unsigned size, NodeId node, std::string_view purpose, Description*& unmapped) {
    LockGuard const guard(lock);
    if (Description* const again = take_kept(size, node)) {
        again->stack.purpose = purpose;
        return again->stack;
    }
    std::uint64_t const whole = slot_bytes(size) / 2;
    auto const memory = take_memory(whole, page_bytes, node);
    if (!memory) return Error::of("no memory on any node for a {} stack of {} bytes", purpose, whole);
    auto const slot = take_slot(size);
    if (!slot) {
        give_memory(*memory);
        return slot.error();
    }
    Description& made = *slot.value();
    made.memory = *memory;
    made.stack.node = node;
    auto const mapped = map(made.stack.bottom, to_physical(memory->address), whole, Access::ReadWrite);
    if (!mapped) {
        unmap(made.stack.bottom, whole);
        made.next = nullptr;
        unmapped = &made;
        return mapped.error();
    }
    made.stack.purpose = purpose;
    return made.stack;
}

} // namespace

Result<Stack> create(std::uint64_t bytes, NodeId node, std::string_view purpose) {
    expect(bytes <= max_bytes, "a stack has up to 16 MiB");
    unsigned const size = size_for(bytes);
    Description* unmapped = nullptr;
    auto first = try_create(size, node, purpose, unmapped);
    give_back(unmapped);
    if (first) return first;
    keep_only(0);
    unmapped = nullptr;
    auto second = try_create(size, node, purpose, unmapped);
    give_back(unmapped);
    return second;
}

void release(Stack const& stack) {
    Description* unmapped = nullptr;
    {
        LockGuard const guard(lock);
        Description* const given_back = find(stack.bottom);
        Size& size = all[size_for(stack.bytes)];
        given_back->stack.purpose = "unused";
        given_back->next = std::exchange(size.kept, given_back);
        kept_bytes += given_back->stack.bytes;
        // By halves, so that cores are told once for many.
        if (kept_bytes > max_kept_bytes) unmapped = unmap_kept(max_kept_bytes / 2);
    }
    give_back(unmapped);
}

void keep_only(std::uint64_t bytes) {
    Description* unmapped = nullptr;
    {
        LockGuard const guard(lock);
        unmapped = unmap_kept(bytes);
    }
    give_back(unmapped);
}

std::optional<Stack> containing(std::uint64_t address, std::uint64_t bytes) {
    auto const holds = [&](Stack const& stack) {
        return address >= stack.bottom && address - stack.bottom <= stack.bytes - bytes;
    };
    for (Stack const& stack : boot_stacks())
        if (holds(stack)) return stack;
    Description const* const found = find(address);
    if (found == nullptr || found->memory.address == nullptr || !holds(found->stack)) return std::nullopt;
    return found->stack;
}

std::optional<Stack> overflowed(std::uint64_t address) {
    for (Stack const& stack : boot_stacks())
        if (address < stack.bottom && address >= stack.bottom - page_bytes) return stack;
    Description const* const found = find(address);
    if (found == nullptr || found->memory.address == nullptr || address >= found->stack.bottom) return std::nullopt;
    return found->stack;
}

} // namespace mxk::arch::stacks
