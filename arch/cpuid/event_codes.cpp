#include "arch/cpuid/event_codes.hpp"

#include <algorithm>

#include "arch/cpuid/signature.hpp"
#include "base/bits.hpp"

namespace mxk::arch {
namespace {

struct Code {
    Event event;
    std::uint16_t code;
};

template <std::size_t count> void set(EventCodes& codes, Code const (&known)[count]) {
    for (Code const& each : known) codes[static_cast<std::size_t>(each.event)] = each.code;
}

void set_intel(EventCodes& codes, Signature const& signature, CpuidResult const& monitoring) {
    struct Architectural {
        unsigned absent; // bit of EBX, where it counts (EAX 31:24)
        Code code;
    };
    constexpr Architectural architectural[] = {{0, {Event::Cycles, 0x003c}},
                                               {1, {Event::Instructions, 0x00c0}},
                                               {4, {Event::L3Misses, 0x412e}},
                                               {6, {Event::BranchMisses, 0x00c5}}};
    if ((monitoring.eax & 0xff) == 0) return;
    for (Architectural const& each : architectural)
        if (monitoring.eax >> 24 > each.absent && !has_bit(monitoring.ebx, each.absent)) set(codes, {each.code});
    constexpr unsigned servers[] = {0x55, 0x6a, 0x6c, 0x8f, 0xcf}; // Skylake, Ice Lake, Sapphire and Emerald Rapids
    if (signature.family == 6 && std::ranges::find(servers, signature.model) != std::end(servers))
        set(codes, {{Event::L2Misses, 0x3f24}, {Event::RemoteLines, 0x0ed3}});
}

void set_amd(EventCodes& codes, Signature const& signature) {
    constexpr unsigned zen = 0x17;
    if (signature.family < zen) return;
    set(codes, {{Event::Cycles, 0x0076},
                {Event::Instructions, 0x00c0},
                {Event::L2Misses, 0x0964},
                {Event::BranchMisses, 0x00c3}});
    if (signature.family <= zen + 1) // Hygon's is 18h
        set(codes, {{Event::L3Misses, 0x5843}, {Event::RemoteLines, 0x5043}});
    else
        set(codes, {{Event::L3Misses, 0x5c44}, {Event::RemoteLines, 0x5044}});
}

} // namespace

EventCodes event_codes(AskCpuid ask) {
    EventCodes codes{};
    CpuidResult const leaf0 = ask(0, 0);
    Signature const signature = signature_of(ask(1, 0).eax);
    if (is_intel(leaf0) && leaf0.eax >= 0xa) set_intel(codes, signature, ask(0xa, 0));
    if (is_amd(leaf0)) set_amd(codes, signature);
    return codes;
}

} // namespace mxk::arch
