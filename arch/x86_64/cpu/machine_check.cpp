#include "arch/x86_64/cpu/machine_check.hpp"

#include "arch/cpuid/signature.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "base/format.hpp"

namespace mxk::arch {
namespace {

constexpr std::uint64_t cr4_machine_check = 1 << 6;
constexpr std::uint64_t valid = std::uint64_t{1} << 63;
constexpr std::uint64_t uncorrected = std::uint64_t{1} << 61;

// Four registers for each bank: SDM vol. 3B section 15.3.2.
constexpr std::uint32_t bank_register(unsigned bank, unsigned which) {
    return 0x400 + 4 * bank + which;
}
constexpr unsigned control = 0;
constexpr unsigned status = 1;
constexpr unsigned address = 2;
constexpr unsigned misc = 3;

unsigned bank_count() {
    constexpr unsigned max_banks = 32; // further ones would reach into other registers
    if (!features().machine_check_banks) return 0;
    auto const count = static_cast<unsigned>(read_msr(msr::mcg_cap) & 0xff);
    return count < max_banks ? count : max_banks;
}

// On family 6 before Nehalem the firmware alone may write it (section 15.3.2.1).
bool may_control(unsigned bank) {
    Signature const signature = signature_of(cpuid(1).eax);
    return bank != 0 || signature.family != 6 || signature.model >= 0x1a;
}

} // namespace

void enable_machine_checks() { // section 15.8, the example's order
    if (!features().machine_check) return;
    constexpr std::uint64_t has_control = 1 << 8;
    if (features().machine_check_banks && (read_msr(msr::mcg_cap) & has_control) != 0)
        write_msr(msr::mcg_control, UINT64_MAX);
    for (unsigned bank = 0; bank < bank_count(); ++bank) {
        if (may_control(bank)) write_msr(bank_register(bank, control), UINT64_MAX);
        write_msr(bank_register(bank, status), 0);
    }
    write_cr4(read_cr4() | cr4_machine_check);
}

bool has_machine_check() {
    constexpr std::uint64_t code = 0xffff; // 0: "no error has been reported to this bank"
    for (unsigned bank = 0; bank < bank_count(); ++bank) {
        std::uint64_t const found = read_msr(bank_register(bank, status));
        if ((found & valid) != 0 && (found & uncorrected) != 0 && (found & code) != 0) return true;
    }
    return false;
}

void print_machine_checks(TextSink& out) {
    if (!features().machine_check_banks) return out.write("  this processor does not say what it was\n");
    constexpr std::uint64_t has_address = std::uint64_t{1} << 58;
    constexpr std::uint64_t has_misc = std::uint64_t{1} << 59;
    bool has_any = false;
    for (unsigned number = 0; number < bank_count(); ++number) {
        MachineCheckBank bank{.number = number, .status = read_msr(bank_register(number, status))};
        if ((bank.status & valid) == 0) continue;
        if ((bank.status & has_address) != 0) bank.address = read_msr(bank_register(number, address));
        if ((bank.status & has_misc) != 0) bank.misc = read_msr(bank_register(number, misc));
        out.write("  ");
        print_machine_check(out, bank);
        out.write("\n");
        has_any = true;
    }
    if (!has_any) out.write("  no bank of this core has an error: another core's, or one that was not recorded\n");
    std::uint64_t const state = read_msr(msr::mcg_status);
    format(out, "  the interrupted code {} (IA32_MCG_STATUS 0x{:x})\n",
           (state & 1) != 0 ? "could have gone on" : "could not have gone on", state);
}

} // namespace mxk::arch
