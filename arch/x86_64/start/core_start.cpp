// How the other cores come up (SDM vol. 3A section 9.4): each gets a slot with its APIC id and a stack in its node's
// memory; the trampoline goes below 1 MiB; all get INIT, then two start-up messages, and come up at the same time.
// A slot's state is changed by compare-exchange only: Waiting -> Started by the core (start64.asm), Waiting ->
// Abandoned by the boot core, so that a late core and a boot core that gave up cannot both go on.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include "arch/attention.hpp"
#include "arch/cpu.hpp"
#include "arch/stacks.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/clock/calibration.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/cpuid_levels.hpp"
#include "arch/x86_64/cpu/machine_check.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/descriptors.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/start/boot_stacks.hpp"
#include "arch/x86_64/start/boot_tables.hpp"
#include "arch/x86_64/start/core_start.hpp"
#include "arch/x86_64/start/cores.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"

namespace mxk::arch {
namespace {

enum class SlotState : std::uint32_t { Waiting = 0, Started = 1, Abandoned = 2 };

// More cores than that which are left out for one reason are one line of the log.
constexpr std::size_t max_named = 8;

struct CoreSlot {                 // start64.asm knows these offsets
    std::uint32_t apic_id;        //  0
    std::atomic<SlotState> state; //  4
    std::uint64_t stack_top;      //  8
    CoreDescriptors* descriptors; // 16
};
static_assert(sizeof(CoreSlot) == 24 && offsetof(CoreSlot, stack_top) == 8);

struct TrampolineFields { // trampoline.asm
    std::uint32_t gdt;
    std::uint32_t gdt_pointer_base;
    std::uint32_t entry64;
    std::uint32_t page_table;
    std::uint32_t efer;
    std::uint32_t far_offset;
    std::uint16_t far_selector;
};

} // namespace
} // namespace mxk::arch

extern "C" {
extern char const trampoline_begin[], trampoline_end[], trampoline_fields[];
mxk::arch::CoreSlot* core_slots = nullptr;
std::uint64_t core_slot_count = 0;
std::byte* core_apic_registers = nullptr; // in x2APIC mode none
}

namespace mxk::arch {
namespace {

constinit MemoryRange trampoline_page{};
constinit CoreDescriptors boot_core_descriptors{};

// CoreId -> its CoreLocal; set before any core is released.
constinit std::span<CoreLocal*> locals{};
constinit std::atomic<CoreEntry> released_entry{nullptr};
constinit std::atomic<std::size_t> started_count{0};

template <typename T> Result<SourceBlock> create_on(NodeId node, std::size_t count = 1) {
    auto const place = take_memory(sizeof(T) * count, std::max(alignof(T), cache_line_bytes), node);
    if (!place) return Error::of("no memory for {} bytes of a core's structures", sizeof(T) * count);
    T* const first = reinterpret_cast<T*>(place->address);
    for (std::size_t i = 0; i < count; ++i) new (static_cast<void*>(first + i)) T{};
    return *place;
}

template <typename T> T* create_or_panic(NodeId node, std::size_t count) {
    auto const place = create_on<T>(node, count);
    if (!place) panic("{}", place.error().message());
    return reinterpret_cast<T*>(place.value().address);
}

void release_stack(std::uint64_t top) {
    auto const stack = top != 0 ? stacks::containing(top - 8, 8) : std::nullopt;
    if (stack) stacks::release(*stack);
}

// Of a core that will never run; whatever it has.
void give_back(CoreSlot& slot) {
    release_stack(std::exchange(slot.stack_top, 0));
    if (slot.descriptors == nullptr) return;
    for (unsigned i = 0; i < interrupt_stack_count; ++i)
        release_stack(slot.descriptors->task_state.interrupt_stacks[i]);
    SourceBlock const block = slot.descriptors->block;
    slot.descriptors = nullptr;
    give_memory(block);
}

// On an error the slot has what there was memory for.
Result<void> prepare_slot(CoreSlot& slot, CoreToStart const& core) {
    slot.stack_top = MXK_TRY(stacks::create(stacks::core_stack_bytes, core.node, core_stack_purposes[0])).top();
    SourceBlock const block = MXK_TRY(create_on<CoreDescriptors>(core.node));
    slot.descriptors = reinterpret_cast<CoreDescriptors*>(block.address);
    slot.descriptors->block = block;
    slot.descriptors->local.apic_id = core.apic_id;
    slot.descriptors->inputs = core.inputs;
    for (unsigned i = 0; i < interrupt_stack_count; ++i)
        slot.descriptors->task_state.interrupt_stacks[i] =
            MXK_TRY(stacks::create(interrupt_stack_bytes, core.node, core_stack_purposes[1 + i])).top();
    slot.state.store(SlotState::Waiting, std::memory_order_relaxed);
    return {};
}

bool is_awaited(CoreSlot const& slot) {
    return slot.state.load(std::memory_order_relaxed) != SlotState::Abandoned;
}

// Slots for those that can be reached, as many as may be and as there is memory for; the others' are abandoned.
// `max_cores`: without the boot core.
void prepare_slots(std::span<CoreToStart const> others, std::size_t max_cores) {
    std::size_t prepared = 0;
    std::size_t without_memory = 0;
    CoreToStart const* first_without = nullptr;
    for (std::size_t i = 0; i < others.size(); ++i) {
        CoreSlot& slot = core_slots[i];
        slot.apic_id = static_cast<std::uint32_t>(others[i].apic_id);
        slot.state.store(SlotState::Abandoned, std::memory_order_relaxed);
        if (!apic::can_reach(others[i].apic_id)) continue;
        if (without_memory == 0 && prepared < max_cores && prepare_slot(slot, others[i])) {
            ++prepared;
            continue;
        }
        give_back(slot);
        if (without_memory++ == 0) first_without = &others[i];
    }
    if (without_memory > 0)
        log::warn("cores: {} of {} are left out, from APIC id {} on: there is no memory for more than {}",
                  without_memory, others.size() + 1, first_without->apic_id, prepared + 1);
}

void prepare_trampoline() {
    auto const base = static_cast<std::uint32_t>(raw(trampoline_page.start));
    std::byte* const page = to_virtual(trampoline_page.start);
    std::copy(trampoline_begin, trampoline_end, reinterpret_cast<char*>(page));
    auto& fields = *reinterpret_cast<TrampolineFields*>(page + (trampoline_fields - trampoline_begin));
    fields.page_table = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(boot_page_table));
    fields.efer = static_cast<std::uint32_t>(read_msr(msr::efer) & 0x900); // long mode, no-execute
    fields.far_offset = base + fields.entry64;
    std::uint32_t const gdt = base + fields.gdt;
    __builtin_memcpy(page + fields.gdt_pointer_base, &gdt, sizeof gdt);
}

// Until all have started, or no further one has for `patience`.
void await_start(std::size_t wanted) {
    constexpr std::uint64_t patience = 2'000'000'000; // ns; an emulator with many cores on few is slow
    constexpr std::uint64_t step = 100'000;
    std::uint64_t idle = 0;
    std::size_t seen = 0;
    while (seen < wanted && idle < patience) {
        busy_wait(Nanoseconds{step});
        // acquire: pairs with the release in start_core(): its slot is complete.
        std::size_t const now = started_count.load(std::memory_order_acquire);
        idle = now == seen ? idle + step : 0;
        seen = now;
    }
}

// INIT to all, then twice the start-up message to all.
void kick(std::span<CoreToStart const> others) {
    auto const page = static_cast<unsigned>(raw(trampoline_page.start) / page_bytes);
    auto const to_all = [&](auto send) {
        for (std::size_t i = 0; i < others.size(); ++i)
            if (is_awaited(core_slots[i])) send(others[i].apic_id);
    };
    to_all([](ApicId target) { apic::send_init(target); });
    busy_wait(Nanoseconds{10'000'000});
    for (int round = 0; round < 2; ++round) {
        to_all([&](ApicId target) { apic::send_startup(target, page); });
        busy_wait(Nanoseconds{200'000});
    }
}

// One line for each of a few cores, or for all of many.
template <typename Predicate>
void warn_of(std::span<CoreToStart const> others, std::string_view what, Predicate is_one) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < others.size(); ++i) count += is_one(i) ? 1U : 0U;
    FixedText<max_named * 12> ids;
    std::size_t named = 0;
    for (std::size_t i = 0; i < others.size() && named < max_named; ++i) {
        if (!is_one(i)) continue;
        if (count <= max_named)
            log::warn("cores: the core with APIC id {} {}: it is left out", others[i].apic_id, what);
        else
            format(ids, "{}{}", named == 0 ? "" : ", ", others[i].apic_id);
        ++named;
    }
    if (count > max_named)
        log::warn("cores: {} cores, with the APIC ids {} and others, {}: they are left out", count, ids.view(), what);
}

// Takes the slots of cores that did not come, names them, and gives their memory back.
void abandon_missing(std::span<CoreToStart> others) {
    auto const is_silent = [](std::size_t i) {
        SlotState expected = SlotState::Waiting;
        // acq_rel: against the core's own compare-exchange in start64.asm.
        return core_slots[i].state.compare_exchange_strong(expected, SlotState::Abandoned, std::memory_order_acq_rel);
    };
    // What is left of an abandoned slot's memory tells the silent ones from those that nobody has waited for.
    auto const has_memory = [](std::size_t i) { return !is_awaited(core_slots[i]) && core_slots[i].stack_top != 0; };
    for (std::size_t i = 0; i < others.size(); ++i) others[i].started = !is_silent(i) && is_awaited(core_slots[i]);
    warn_of(others, "cannot be reached, which takes an x2APIC that this machine lacks",
            [&](std::size_t i) { return !apic::can_reach(others[i].apic_id); });
    warn_of(others, "did not start", has_memory);
    for (std::size_t i = 0; i < others.size(); ++i)
        if (has_memory(i)) give_back(core_slots[i]);
    stacks::keep_only(0);
}

std::size_t count_started(std::span<CoreToStart const> cores) {
    return static_cast<std::size_t>(
        std::count_if(cores.begin(), cores.end(), [](CoreToStart const& core) { return core.started; }));
}

} // namespace

void load_boot_core() {
    auto const own_stacks = boot_stacks();
    for (unsigned i = 0; i < interrupt_stack_count; ++i)
        boot_core_descriptors.task_state.interrupt_stacks[i] = own_stacks[1 + i].top();
    prepare_interrupt_table();
    load_descriptors(boot_core_descriptors);
    enable_machine_checks();
}

void set_trampoline_page(MemoryRange page) {
    boot_tables::map_trampoline(page);
    trampoline_page = page;
}

void start_cores(std::span<CoreToStart> cores, std::size_t max_cores) {
    std::span<CoreToStart> const others = cores.subspan(1);
    cores[0].started = true;
    cores[0].levels = levels_of_this_core();
    boot_core_descriptors.local.apic_id = cores[0].apic_id;
    apic::connect(cores[0].inputs);
    if (others.empty()) return;
    if (trampoline_page.bytes == 0) {
        log::warn(
            "cores: expected a free page below 1 MiB to start other cores from, found none: going on with one core");
        return;
    }
    core_slots = create_or_panic<CoreSlot>(cores[0].node, others.size());
    prepare_slots(others, max_cores - 1);
    core_slot_count = others.size();
    core_apic_registers = apic::mode.registers;
    keep_timestamp_adjustment();
    // Other cores run the page on the boot page tables; here it only needs to be written.
    prepare_trampoline();
    kick(others);
    await_start(
        static_cast<std::size_t>(std::count_if(core_slots, core_slots + others.size(), [](CoreSlot const& slot) {
            return slot.stack_top != 0; // it is awaited, or has come by now
        })));
    abandon_missing(others);
    // A core may have claimed its slot and not yet be through start_core().
    while (started_count.load(std::memory_order_acquire) < count_started(others)) pause();
    TimestampReport timestamps;
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (!others[i].started) continue;
        others[i].levels = core_slots[i].descriptors->levels;
        timestamps.count(core_slots[i].descriptors->timestamp, core_slots[i].apic_id);
    }
    timestamps.warn();
}

// From core_start64, on the core's own stack.
extern "C" void start_core(CoreSlot& slot) {
    enable_features();
    load_descriptors(*slot.descriptors);
    enable_machine_checks();
    slot.descriptors->timestamp = align_timestamp(); // before its timer is set by it
    apic::enable();
    apic::connect(slot.descriptors->inputs);
    slot.descriptors->levels = levels_of_this_core();
    started_count.fetch_add(1, std::memory_order_release);
    while (released_entry.load(std::memory_order_acquire) == nullptr) {
        halt_until_attention();
        take_attention();
    }
    // acquire: pairs with the release in release_cores(), which has set this core's id before.
    CoreEntry const entry = released_entry.load(std::memory_order_acquire);
    entry(core_local().id);
    halt_forever();
}

void release_cores(std::span<CoreToStart const> cores, std::span<std::size_t const> order, CoreEntry entry) {
    locals = {create_or_panic<CoreLocal*>(cores[0].node, order.size()), order.size()};
    for (std::size_t i = 0; i < order.size(); ++i) {
        expect(cores[order[i]].started, "only a core that has started is released");
        CoreLocal& local = order[i] == 0 ? boot_core_descriptors.local : core_slots[order[i] - 1].descriptors->local;
        local.id = core_id(i);
        locals[i] = &local;
    }
    released_entry.store(entry, std::memory_order_release);
    for (std::size_t i = 1; i < locals.size(); ++i) wake(core_id(i));
}

std::span<CoreLocal* const> released_cores() {
    return locals;
}

bool leave_word(CoreId core, Attention what) {
    // seq_cst, and so a release: what was left for the core is visible before the bit, pairs with take_attention(); and
    // who looks then whether the core halts finds that it does, or it sees the bit before.
    return locals[index(core)]->attention.fetch_or(static_cast<std::uint32_t>(what), std::memory_order_seq_cst) == 0;
}

void end_halt(CoreId core) {
    CoreLocal const& local = *locals[index(core)];
    if (&local != &core_local()) apic::send(local.apic_id, vector::wake);
}

void halt_until_attention() {
    disable_interrupts();
    if (core_local().attention.load(std::memory_order_seq_cst) != 0) // pairs with leave_word()
        enable_interrupts();
    else
        asm volatile("sti; hlt" ::: "memory"); // sti takes effect after hlt has begun: no interrupt is missed between
}

} // namespace mxk::arch
