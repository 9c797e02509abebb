// `tlb`: how many translations of addresses a core keeps, and how often it had to forget them.
#include "arch/inspect.hpp"
#include "arch/processor.hpp"
#include "arch/translations.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/mapping/coherence.hpp"

namespace mxk {
namespace {

using arch::TranslationCache;

std::string_view name_of(TranslationCache::Kind kind) {
    switch (kind) {
    case TranslationCache::Kind::Data: return "data";
    case TranslationCache::Kind::Instruction: return "instructions";
    case TranslationCache::Kind::Unified: return "both";
    case TranslationCache::Kind::Load: return "loads";
    case TranslationCache::Kind::Store: break;
    }
    return "stores";
}

FixedText<40> sizes_of(std::uint32_t pages) {
    struct Size {
        std::uint32_t bit;
        std::string_view name;
    };
    FixedText<40> text;
    for (Size const size : {Size{TranslationCache::four_kib, "4 KiB"}, Size{TranslationCache::two_mib, "2 MiB"},
                            Size{TranslationCache::four_mib, "4 MiB"}, Size{TranslationCache::one_gib, "1 GiB"}}) {
        if ((pages & size.bit) != 0) format(text, "{}{}", text.view().empty() ? "" : ", ", size.name);
    }
    return text;
}

void print_cache(TextSink& out, TranslationCache const& cache) {
    FixedText<16> ways;
    if (cache.ways == TranslationCache::fully_associative)
        ways.append("full");
    else if (cache.ways == TranslationCache::unknown_ways)
        ways.append("not told");
    else
        format(ways, "{}", cache.ways);
    format(out, "{:5}  {:<12} {:>8} {:>9}  {}\n", cache.level, name_of(cache.kind), cache.entries, ways.view(),
           sizes_of(cache.pages).view());
}

void print_mappings(TextSink& out, mapping::CoherenceCounts const& counts) {
    auto const abilities = arch::translations::abilities();
    format(out, "address spaces: {}; PCID: {}, INVPCID: {}, pages of 1 GiB: {}\n", arch::translations::tags - 1,
           abilities.tags ? "yes" : "no", abilities.tagged_pages ? "yes" : "no",
           abilities.gigabyte_pages ? "yes" : "no");
    format(out, "  pages withdrawn: {}, by shootdowns: {}; cores asked: {}, interrupts: {}\n", counts.withdrawals,
           counts.shootdowns, counts.asked, counts.interrupts);
    format(out, "  cores not asked: {} had nothing, {} had forgotten all since, {} halted\n", counts.saved_unused,
           counts.saved_flushed, counts.saved_away);
    format(out, "  forgotten: {} pages one by one, {} times all\n", counts.page_flushes, counts.full_flushes);
}

console::Outcome show_tlb(console::Invocation& invocation) {
    TextSink& out = invocation.out;
    auto const caches = arch::translation_caches();
    if (caches.list().empty()) {
        out.write("The processor does not tell how many translations it keeps (CPUID).\n");
    } else {
        format(out, "{:>5}  {:<12} {:>8} {:>9}  {}\n", "level", "of", "entries", "ways", "pages");
        for (TranslationCache const& cache : caches.list()) print_cache(out, cache);
    }
    if (auto const counts = arch::translation_counts()) {
        format(out, "shootdowns: {}, cores interrupted by them: {}; flushes of a core's own: {}\n", counts->shootdowns,
               counts->interrupted_cores, counts->flushes);
    } else {
        out.write("Shootdowns are the system's: the line TLB of /proc/interrupts counts them.\n");
    }
    if (mapping::Coherence const* const coherence = mapping::coherence()) print_mappings(out, coherence->counts());
    return console::Outcome::Ok;
}

constexpr auto tlb_command = console::command<&show_tlb>(
    {.name = "tlb",
     .summary = "translations that a core keeps, by page size (CPUID), and how often they were forgotten",
     .group = "machine",
     .notes = "Of the console's core. A shootdown is one core that has unmapped something and has others forget their\n"
              "translations: of the kernel's own addresses all others; of other address spaces those that have to.\n"
              "'bench tlb' measures what a translation costs; 'mcall tlb-flush' drops them all.\n"});
MXK_REGISTER(mxk_commands, console::Command, tlb_command);

} // namespace
} // namespace mxk
