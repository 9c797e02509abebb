// What IA32_MCi_STATUS says, in words: SDM vol. 3B sections 15.3.2.2 and 15.9.
#include <array>
#include <string_view>

#include "arch/x86_64/cpu/machine_check.hpp"
#include "base/bits.hpp"
#include "base/format.hpp"

namespace mxk::arch {
namespace {

constexpr std::size_t field(std::uint64_t word, unsigned low, unsigned width) {
    return static_cast<std::size_t>(word >> low & ((1U << width) - 1));
}

constexpr std::array<std::string_view, 4> transaction_names = {"instruction", "data", "generic", "reserved"};
constexpr std::array<std::string_view, 4> level_names = {"level 0", "level 1", "level 2", "any level"};
constexpr std::array<std::string_view, 16> request_names = {
    "error", "read",     "write",    "data read", "data write", "instruction fetch", "prefetch", "eviction",
    "snoop", "reserved", "reserved", "reserved",  "reserved",   "reserved",          "reserved", "reserved"};
constexpr std::array<std::string_view, 4> participant_names = {"originated here", "responded here", "observed here",
                                                               "generic"};
constexpr std::array<std::string_view, 4> space_names = {"memory", "reserved", "I/O", "other"};
constexpr std::array<std::string_view, 8> memory_names = {"generic", "read",     "write",    "address or command",
                                                          "scrub",   "reserved", "reserved", "reserved"};
constexpr std::array<std::string_view, 8> simple_names = {"no error",
                                                          "unclassified",
                                                          "microcode ROM parity",
                                                          "external error",
                                                          "functional redundancy check",
                                                          "internal parity",
                                                          "SMM handler ran outside its memory",
                                                          "reserved"};

// The compound codes, of which bit 12 says something else (section 15.9.2); those with more fixed bits come later.
void print_code(TextSink& out, std::uint64_t code) {
    std::string_view const transaction = transaction_names[field(code, 2, 2)];
    std::string_view const level = level_names[field(code, 0, 2)];
    std::string_view const request = request_names[field(code, 4, 4)];
    std::uint64_t const kind = code & 0xefff;
    if ((kind & 0xf800) == 0x0800)
        format(out, "bus or interconnect, {} {}, {}, {}{}", space_names[field(code, 2, 2)], request, level,
               participant_names[field(code, 9, 2)], has_bit(code, 8) ? ", timed out" : "");
    else if ((kind & 0xfc00) == 0x0400)
        out.write(kind == 0x0400 ? "internal timer" : "internal, unclassified");
    else if ((kind & 0xff00) == 0x0100)
        format(out, "{} cache, {}, {}", transaction, level, request);
    else if ((kind & 0xff80) == 0x0080 && field(code, 0, 4) == 15)
        format(out, "memory controller, {}, channel not known", memory_names[field(code, 4, 3)]);
    else if ((kind & 0xff80) == 0x0080)
        format(out, "memory controller, {}, channel {}", memory_names[field(code, 4, 3)], field(code, 0, 4));
    else if ((kind & 0xfff0) == 0x0010)
        format(out, "{} TLB, {}", transaction, level);
    else if ((kind & 0xfffc) == 0x000c)
        format(out, "cache hierarchy, {}", level);
    else if (code < simple_names.size())
        out.write(simple_names[code]);
    else
        out.write("a code of no known kind");
}

} // namespace

void print_machine_check(TextSink& out, MachineCheckBank const& bank) {
    std::uint64_t const status = bank.status;
    bool const is_uncorrected = has_bit(status, 61);
    format(out, "bank {}: {}{}{}; ", bank.number, is_uncorrected ? "not corrected" : "corrected",
           has_bit(status, 57) ? ", the core's state is corrupt" : "",
           has_bit(status, 62) ? ", others were lost before it" : "");
    print_code(out, status & 0xffff);
    if (has_bit(status, 58)) format(out, ", at 0x{:x}", bank.address);
    format(out, " (status 0x{:016x}", status);
    if (has_bit(status, 59)) format(out, ", misc 0x{:x}", bank.misc);
    out.write(")");
}

} // namespace mxk::arch
