#include "arch/translations.hpp"

#include "arch/core_local.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/page_entry.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/memory/translations.hpp"
#include "arch/x86_64/start/cores.hpp"

namespace mxk::arch {

constinit std::atomic<translations::Handler> translations_handler{nullptr};
constinit translations::Abilities translation_abilities{};

namespace translations {

static_assert(entry_present == page_entry::present && entry_writable == page_entry::writable &&
              entry_large == page_entry::large && entry_address == page_entry::address_mask);
static_assert(sizeof(Table) == page_bytes && tags == max_roots);
static_assert(window_base + window_bytes <= std::uint64_t{1} << 47 && window_base % (512 * GiB) == 0);

std::uint64_t page_entry(PhysicalAddress frame, unsigned level) {
    return raw(frame) | entry_present | arch::page_entry::never_executed() | (level > 1 ? entry_large : 0);
}

PhysicalAddress address_of(void const* memory) {
    return to_physical(memory);
}
void* memory_at(PhysicalAddress address) {
    return to_virtual(address);
}

Abilities abilities() {
    return {.tags = features().pcid,
            .tagged_pages = features().pcid && features().invpcid,
            .gigabyte_pages = features().gigabyte_pages};
}

void begin_root(Table& top) {
    add_root(reinterpret_cast<std::uint64_t*>(top.entries));
}
void end_root(Table& top) {
    remove_root(reinterpret_cast<std::uint64_t*>(top.entries));
}

std::optional<std::uint64_t> read(std::uint64_t address) {
    return try_read(address);
}
bool write(std::uint64_t address, std::uint64_t value) {
    return try_write(address, value);
}

bool set_handler(Handler handler) {
    translation_abilities = abilities();
    translations_handler.store(handler, std::memory_order_relaxed);
    return true;
}
void interrupt(CoreId core) {
    apic::send(released_cores()[index(core)]->apic_id, vector::forget_pages);
}

} // namespace translations
} // namespace mxk::arch
