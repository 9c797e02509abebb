#include <algorithm>

#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/mtrr.hpp"
#include "arch/x86_64/cpu/registers.hpp"

namespace mxk::arch::mtrr {
namespace {

namespace number { // of model-specific registers
constexpr std::uint32_t capabilities = 0xfe;
constexpr std::uint32_t first_base = 0x200; // base and mask of each range in turn
constexpr std::uint32_t default_type = 0x2ff;
constexpr std::uint32_t amd_configuration = 0xc001'0010; // SYSCFG
constexpr std::uint32_t amd_top_of_memory2 = 0xc001'001d;
} // namespace number

unsigned physical_address_bits() {
    constexpr unsigned customary = 36;
    return cpuid(0x8000'0000).eax >= 0x8000'0008 ? cpuid(0x8000'0008).eax & 0xff : customary;
}

// Also where a hypervisor says so, it need not have AMD's registers.
bool has_amd_registers() {
    CpuidResult const vendor = cpuid(0);
    bool const is_amd = vendor.ebx == 0x6874'7541 && vendor.edx == 0x6974'6e65 && vendor.ecx == 0x444d'4163;
    std::uint32_t const family = cpuid(1).eax >> 8 & 0xf;
    return is_amd && family == 0xf && !features().hypervisor;
}

std::uint64_t amd_write_back_end() {
    constexpr std::uint64_t top2_is_on = 1 << 21;
    constexpr std::uint64_t top2_is_write_back = 1 << 22;
    if (!has_amd_registers()) return 0;
    std::uint64_t const configuration = read_msr(number::amd_configuration);
    bool const counts = (configuration & top2_is_on) != 0 && (configuration & top2_is_write_back) != 0;
    return counts ? read_msr(number::amd_top_of_memory2) & 0x000f'ffff'ff80'0000 : 0;
}

} // namespace

Registers read_registers() {
    Registers result;
    result.exist = (cpuid(1).edx >> 12 & 1) != 0;
    if (!result.exist) return result;
    result.default_type = read_msr(number::default_type);
    result.address_mask = ((std::uint64_t{1} << std::min(physical_address_bits(), 52U)) - 1) & ~std::uint64_t{0xfff};
    result.write_back_end = amd_write_back_end();
    result.count = std::min<std::size_t>(read_msr(number::capabilities) & 0xff, Registers::max_ranges);
    for (std::uint32_t i = 0; i < result.count; ++i)
        result.ranges[i] = {read_msr(number::first_base + 2 * i), read_msr(number::first_base + 2 * i + 1)};
    return result;
}

} // namespace mxk::arch::mtrr
