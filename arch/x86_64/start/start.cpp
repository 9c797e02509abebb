// From the first C++ instruction to kernel_main: the serial line, so that every later failure can speak; faults; what
// the loader said; the kernel's own page tables. After this the boot page tables serve only other cores' first steps.
#include "arch/boot_report.hpp"
#include "arch/terminal.hpp"
#include "arch/x86_64/board/screen.hpp"
#include "arch/x86_64/board/serial.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/mtrr.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/module_files.hpp"
#include "arch/x86_64/start/core_start.hpp"
#include "arch/x86_64/start/entry.hpp"
#include "arch/x86_64/start/image.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "boot/boot_info.hpp"

namespace mxk::arch {
namespace {

constinit TerminalSink terminal;
constinit boot::BootInfo boot_info;
constinit RangeSet ram;
constinit RangeSet free_ram;
constinit RangeSet memory; // RAM and firmware's, by the loader's map: no device is there
constinit DirectMapReader reader;

// What the command line says, if it can be used: `in_memory` once the page tables are built, else before that.
void open_serial(std::string_view command_line, bool in_memory) {
    std::string_view const wanted = boot::option(command_line, "serial");
    if (wanted.empty()) return;
    auto const line = serial::parse_line(wanted);
    if (!line) {
        if (!in_memory) log::warn("{}; staying on com1", line.error().message());
        return;
    }
    if (line.value().place.in_memory() != in_memory) return;
    FixedText<80> field;
    format(field, "serial={}", wanted);
    if (in_memory && serial::map_registers(line.value().place, field.view()) == nullptr) return;
    serial::open(line.value());
}

// UEFI's memory map says more than the loader's, which is made from it. The WARNs stand in every result.
void heed_efi() {
    if (!boot_info.efi_memory_map) return;
    auto const& map = *boot_info.efi_memory_map;
    if (!map) return log::warn("memory map: EFI's is ignored: {}", map.error().message());
    boot::EfiDifference const found = boot::keep_what_efi_calls_ram(map.value(), ram);
    log::info("memory: EFI's map with {} entries was read", map.value().size());
    constexpr auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(MiB); };
    if (found.specific_purpose > 0)
        log::warn("memory map: {:.1} MiB are for a specific purpose by EFI's map (CXL, HBM): they are not used",
                  mib(found.specific_purpose));
    if (found.non_volatile > 0)
        log::warn("memory map: {:.1} MiB are non-volatile by EFI's map: they are not used", mib(found.non_volatile));
    if (found.only_loader > 0)
        log::warn("memory map: {:.1} MiB, from {} on, are RAM by the loader's map and not by EFI's: they are not used",
                  mib(found.only_loader), found.first_only_loader);
    if (found.only_efi > 0)
        log::warn("memory map: {:.1} MiB are RAM by EFI's map and not by the loader's: they are not used",
                  mib(found.only_efi));
}

// Free memory is RAM that holds neither the kernel nor what the loader left. The first MiB is not handed out either:
// firmware keeps things there that its memory map does not admit to; one page of it becomes the trampoline.
void find_free_memory() {
    constexpr MemoryRange first_mib{PhysicalAddress{0}, MiB};
    constexpr PhysicalAddress low_limit{0xa0000};
    usable_memory(boot_info.memory_map, ram);
    for (std::size_t i = 0; i < boot_info.memory_map.size(); ++i)
        if (boot_info.memory_map[i].is_memory()) memory.add(boot_info.memory_map[i].range);
    heed_efi();
    if (std::uint64_t const lost = boot::remove_beyond(ram, PhysicalAddress{direct_map_bytes}); lost > 0)
        log::warn("memory map: {} GiB of RAM above 64 TiB are not used: the address space has no room for them",
                  lost / GiB);
    if (std::uint64_t const slow = mtrr::bytes_not_write_back(mtrr::read_registers(), ram.ranges()); slow > 0)
        log::warn("memory: the MTRRs do not let the caches write back {} MiB of RAM: what uses them is slow",
                  (slow + MiB - 1) / MiB);
    free_ram = ram;
    for (MemoryRange const& blob : boot_info.blobs) free_ram.remove(blob);
    for (boot::Module const& module : boot_info.modules.list()) free_ram.remove(boot::frames_around(module.range));
    auto const image = reinterpret_cast<std::uint64_t>(image_start);
    free_ram.remove({static_cast<PhysicalAddress>(image), reinterpret_cast<std::uint64_t>(image_end) - image});
    RangeSet low = free_ram;
    low.remove({PhysicalAddress{0}, page_bytes}); // page 0 would be an odd place to start at
    if (auto const page = low.take(page_bytes, page_bytes, low_limit)) set_trampoline_page({*page, page_bytes});
    free_ram.remove(first_mib);
    if (ram.dropped() + free_ram.dropped() > 0)
        log::warn("memory map: {} ranges beyond the first {} are not used", ram.dropped() + free_ram.dropped(),
                  RangeSet::capacity);
    if (free_ram.bytes() == 0) panic("the memory map of {} has no usable memory", boot_info.loader);
}

// The loader's modules are this machine's files, as far as they can be read.
void offer_modules() {
    boot::Modules readable;
    if (boot_info.modules.dropped() > 0)
        log::warn("boot: {} modules are not used: expected up to {}, none of them empty", boot_info.modules.dropped(),
                  boot::Modules::max);
    for (boot::Module const& module : boot_info.modules.list()) {
        if (!reader.view(module.range.start, module.range.bytes).empty())
            readable.add(module);
        else
            log::warn("boot: the module '{}' at {}, {} bytes, cannot be read: it is not used", module.name,
                      module.range.start, module.range.bytes);
    }
    boot_info.modules = readable; // for good: its list is what others see
    set_module_files(boot_info.modules.list());
}

} // namespace

BootReport boot_report() {
    return {.loader = boot_info.loader, .command_line = boot_info.command_line};
}

std::size_t firmware_range_count() {
    return boot_info.memory_map.size();
}

FirmwareRange firmware_range(std::size_t i) {
    boot::MemoryRegion const region = boot_info.memory_map[i];
    return {region.range, region.type};
}

extern "C" void start(std::uint32_t magic, std::uint32_t information) {
    serial::open({});
    log::set_sink(terminal);
    detect_features();
    load_boot_core();
    enable_features();
    auto const parsed = boot::parse(magic, static_cast<PhysicalAddress>(information), reader);
    if (!parsed) panic("{}", parsed.error().message());
    boot_info = parsed.value();
    open_serial(boot_info.command_line, false);
    warn_of_missing_features();
    find_free_memory();
    build_address_space(ram, free_ram);
    set_memory_map(memory);
    for (MemoryRange const& blob : boot_info.blobs) reader.view(blob.start, blob.bytes);
    open_serial(boot_info.command_line, true);
    if (boot_info.framebuffer) screen::open(*boot_info.framebuffer);
    offer_modules();
    kernel_main(boot_info, ram, free_ram, reader);
}

} // namespace mxk::arch
