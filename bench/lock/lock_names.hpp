// Kinds of locks as an option's value (kind_names.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bench/frame/kind_names.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {

template <> struct KindRegistry<locks::LockKind> {
    static constexpr auto all = &locks::registered_lock_kinds;
    static constexpr std::string_view what = "lock";
    static constexpr std::string_view list = "help bench lock ecsb";
    static constexpr std::string_view none_given = "some";
};
using LockNames = KindNames<locks::LockKind>;
using LockList = KindList<locks::LockKind>;

// The kinds of these names; of none, those whose place `by_default` is not 0, in the order of the places. Errors: no
// memory. The console's task.
inline Result<LockList> list_locks(LockNames const& names, std::uint8_t locks::DefaultPlace::*by_default) {
    auto list = MXK_TRY(names.kinds([&](auto visit) {
        for (auto const* const kind : locks::registered_lock_kinds())
            if (kind->by_default.*by_default != 0) visit(*kind);
    }));
    if (names.text.empty())
        std::sort(list.begin(), list.end(),
                  [&](auto const* a, auto const* b) { return a->by_default.*by_default < b->by_default.*by_default; });
    return list;
}

// The list below a command's options in its help.
inline void print_lock_kinds(TextSink& out) {
    print_kinds<locks::LockKind>(out, "Locks", 18, [&](locks::LockKind const& kind) { out.write(kind.summary); });
}

} // namespace mxk::bench
