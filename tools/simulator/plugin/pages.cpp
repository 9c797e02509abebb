#include "tools/simulator/plugin/pages.hpp"

#include "tools/simulator/plugin/emulator.hpp"

namespace mxk::simulator {
namespace {

// SDM volume 3A, section 4.5
constexpr std::uint64_t paging_on = std::uint64_t{1} << 31;   // of cr0
constexpr std::uint64_t five_levels = std::uint64_t{1} << 12; // of cr4
constexpr std::uint64_t is_present = 1;
constexpr std::uint64_t is_large = std::uint64_t{1} << 7;
constexpr std::uint64_t address_bits = 0x000f'ffff'ffff'f000;

std::uint64_t load(std::uint64_t physical) {
    std::uint64_t value = 0;
    cpu_physical_memory_rw(physical, &value, sizeof value, false);
    return value;
}

} // namespace

Page Pages::walk(std::uint64_t address) {
    constexpr std::uint64_t in_small = (std::uint64_t{1} << small_bits) - 1;
    Page page{
        .number = address >> small_bits, .physical = address & ~in_small, .mapped = true, .generation = generation_};
    if ((registers_.system(SystemRegister::Cr0) & paging_on) == 0) return page;
    std::uint64_t table = registers_.system(SystemRegister::Cr3) & address_bits;
    bool const five = (registers_.system(SystemRegister::Cr4) & five_levels) != 0;
    for (unsigned bits = five ? 48 : 39;; bits -= 9) {
        std::uint64_t const entry = load(table + ((address >> bits & 511) * sizeof(std::uint64_t)));
        page.mapped = (entry & is_present) != 0;
        if (!page.mapped) return page;
        if (bits == small_bits || (entry & is_large) != 0) {
            std::uint64_t const in_page = (std::uint64_t{1} << bits) - 1;
            page.physical = (entry & address_bits & ~in_page) + (address & in_page & ~in_small);
            page.bits = static_cast<std::uint8_t>(bits);
            return page;
        }
        table = entry & address_bits;
    }
}

} // namespace mxk::simulator
