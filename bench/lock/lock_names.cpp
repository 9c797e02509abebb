#include "bench/lock/lock_names.hpp"

#include <algorithm>

#include "kernel/console/named.hpp"

namespace mxk::bench {
Result<void> parse_value(std::string_view text, LockNames& names) {
    names = {};
    for (std::string_view rest = text;;) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        std::string_view const name = rest.substr(0, comma);
        if (name == "all") {
            console::for_each_by_name(locks::registered_lock_kinds(), [&](locks::LockKind const& kind) {
                if (kind.missing.empty()) names.add(kind);
            });
        } else {
            auto const* const found = console::find_by_name(locks::registered_lock_kinds(), name);
            if (found == nullptr) {
                Error const unknown = console::unknown_name("lock", name, locks::registered_lock_kinds());
                return Error::of("{} ('help bench lock ecsb' lists all)", unknown.message());
            }
            if (!found->missing.empty()) return Error::of("lock '{}' was not built: {}", name, found->missing);
            if (!names.add(*found)) return Error::of("expected up to {} locks", LockNames::capacity);
        }
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
}

void print_value(TextSink& out, LockNames const& names) {
    std::string_view separator;
    for (auto const* const kind : names.kinds()) {
        format(out, "{}{}", separator, kind->name);
        separator = ",";
    }
    if (names.empty()) out.write("some");
}

void describe_value(TextSink& out, LockNames const&) {
    out.write("NAME,NAME,...");
}

void complete_value(console::Candidates& candidates, LockNames const&) {
    for (auto const* const kind : locks::registered_lock_kinds()) candidates.offer(kind->name);
}

void print_lock_kinds(TextSink& out) {
    out.write("Locks:\n");
    console::for_each_by_name(locks::registered_lock_kinds(), [&](locks::LockKind const& kind) {
        format(out, "  {:<18} {}\n", kind.name, kind.missing.empty() ? kind.summary : kind.missing);
    });
}

} // namespace mxk::bench
