#include "arch/x86_64/exceptions/symbol_table.hpp"

#include <algorithm>

#include "arch/symbols.hpp"
#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/start/image.hpp"

extern "C" {
struct SymbolEntry {
    std::uint32_t address; // from kernel_base
    std::uint32_t name;
};
// Weak: the first link has none.
[[gnu::weak]] extern std::uint64_t const symbol_count;
[[gnu::weak]] extern SymbolEntry const symbol_entries[];
[[gnu::weak]] extern char const symbol_names[];
}

namespace mxk::arch {

bool is_code(std::uint64_t address) {
    return address >= reinterpret_cast<std::uint64_t>(text_start) &&
           address < reinterpret_cast<std::uint64_t>(text_end);
}

Symbol find_symbol(std::uint64_t address) {
    if (&symbol_count == nullptr || !is_code(address)) return {};
    auto const wanted = static_cast<std::uint32_t>(address - kernel_base);
    auto const* const end = symbol_entries + symbol_count;
    auto const* const after =
        std::upper_bound(symbol_entries, end, wanted,
                         [](std::uint32_t value, SymbolEntry const& entry) { return value < entry.address; });
    if (after == symbol_entries) return {};
    return {std::string_view(symbol_names + after[-1].name), wanted - after[-1].address};
}

bool write_function_name(TextSink& out, std::uintptr_t address) {
    Symbol const symbol = find_symbol(address);
    out.write(symbol.name);
    return !symbol.name.empty();
}

void for_each_function(void (*visit)(std::string_view name, std::uintptr_t address, void* context), void* context) {
    if (&symbol_count == nullptr) return;
    for (SymbolEntry const* entry = symbol_entries; entry != symbol_entries + symbol_count; ++entry)
        visit(symbol_names + entry->name, kernel_base + entry->address, context);
}

// It runs where it was linked to.
std::uintptr_t load_offset() {
    return 0;
}

} // namespace mxk::arch
