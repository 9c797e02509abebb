#include "bench/lock/lock_names.hpp"

#include <algorithm>

#include "kernel/console/named.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// What a text names, one after the other, until visit(kind) gives an error.
template <typename Visit> Result<void> for_each_named(std::string_view text, Visit visit) {
    auto const kinds = locks::registered_lock_kinds();
    for (std::string_view rest = text;;) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        std::string_view const name = rest.substr(0, comma);
        if (name == "all") {
            console::for_each_by_name(kinds, [&](locks::LockKind const& kind) {
                if (kind.missing.empty()) visit(kind);
            });
        } else {
            auto const* const found = console::find_by_name(kinds, name);
            if (found == nullptr)
                return Error::of("{} ('help bench lock ecsb' lists all)",
                                 console::unknown_name("lock", name, kinds).message());
            if (!found->missing.empty()) return Error::of("lock '{}' was not built: {}", name, found->missing);
            visit(*found);
        }
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
}

} // namespace

Result<void> parse_value(std::string_view text, LockNames& names) {
    names = {text};
    return for_each_named(text, [](locks::LockKind const&) {});
}

Result<LockList> list_locks(LockNames const& names, std::uint8_t locks::DefaultPlace::*by_default) {
    std::size_t count = 0;
    auto const for_each = [&](auto visit) -> Result<void> {
        if (!names.text.empty()) return for_each_named(names.text, visit);
        for (auto const* const kind : locks::registered_lock_kinds())
            if (kind->by_default.*by_default != 0) visit(*kind);
        return {};
    };
    MXK_TRY(for_each([&](locks::LockKind const&) { ++count; }));
    auto list = MXK_TRY(LockList::create(count, Worker::current().node()));
    MXK_TRY(for_each([&](locks::LockKind const& kind) { list.emplace(&kind); }));
    if (names.text.empty())
        std::sort(list.begin(), list.end(),
                  [&](auto const* a, auto const* b) { return a->by_default.*by_default < b->by_default.*by_default; });
    return list;
}

void print_value(TextSink& out, LockNames const& names) {
    out.write(names.text.empty() ? "some" : names.text);
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
