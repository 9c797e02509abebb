#include "bench/heap/heap_names.hpp"

#include <algorithm>

#include "kernel/console/named.hpp"

namespace mxk::bench {

HeapNames HeapNames::all() {
    HeapNames names;
    for (std::string_view const first : {"mxk", "locked"}) // then the peers
        if (auto const* const kind = console::find_by_name(registered_heap_kinds(), first)) names.add(*kind);
    console::for_each_by_name(registered_heap_kinds(), [&](HeapKind const& kind) {
        if (!kind.library.empty() && !kind.is_of_a_test) names.add(kind);
    });
    return names;
}

Result<void> parse_value(std::string_view text, HeapNames& names) {
    names = {};
    for (std::string_view rest = text;;) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        std::string_view const name = rest.substr(0, comma);
        if (name == "all") {
            names = HeapNames::all();
        } else {
            auto const* const found = console::find_by_name(registered_heap_kinds(), name);
            if (found == nullptr) {
                Error const unknown = console::unknown_name("allocator", name, registered_heap_kinds());
                return Error::of("{} ('help bench heap micro' lists all)", unknown.message());
            }
            if (!names.add(*found)) return Error::of("expected up to {} allocators", HeapNames::capacity);
        }
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
}

void print_value(TextSink& out, HeapNames const& names) {
    std::string_view separator;
    for (auto const* const kind : names.kinds()) {
        format(out, "{}{}", separator, kind->name);
        separator = ",";
    }
    if (names.empty()) out.write("all");
}

void describe_value(TextSink& out, HeapNames const&) {
    out.write("NAME,NAME,...");
}

void complete_value(console::Candidates& candidates, HeapNames const&) {
    candidates.start_last_of_list();
    for (auto const* const kind : registered_heap_kinds())
        if (!kind->is_of_a_test) candidates.offer(kind->name);
    candidates.offer("all");
}

void print_heap_kinds(TextSink& out) {
    out.write("Allocators:\n");
    auto const names = HeapNames::all();
    for (auto const* const kind : names.kinds()) {
        format(out, "  {:<12} {}\n", kind->name, kind->summary);
        auto const opened = kind->open != nullptr ? kind->open() : Result<void>();
        if (!opened) format(out, "  {:<12} {}\n", "", opened.error().message());
    }
}

} // namespace mxk::bench
