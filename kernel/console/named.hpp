// Walks over things that registered themselves (base/registry.hpp) and have a `name`, some a `summary`. They stand in
// link order; people want them by name. Nothing is stored: a walk costs entries^2 comparisons, which for a few hundred
// is nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/format.hpp"
#include "base/result.hpp"

namespace mxk::console {

// All entries, where no narrower choice is given.
struct AnyEntry {
    constexpr bool operator()(auto const&) const { return true; }
};

// Pointers to things with a name: a registry, or an array.
template <typename Range>
concept Entries = requires(Range const& entries) {
    { (*entries.begin())->name } -> std::convertible_to<std::string_view>;
};
template <Entries Range> using EntryOf = std::remove_cvref_t<decltype(*std::declval<Range const&>().begin())>;

// The entry of that name among those that `chosen` says yes to, or nullptr.
template <Entries Range, typename Chosen = AnyEntry>
EntryOf<Range> find_by_name(Range const& entries, std::string_view name, Chosen const& chosen = {}) {
    for (EntryOf<Range> const entry : entries) {
        if (entry->name == name && chosen(*entry)) return entry;
    }
    return nullptr;
}

// Calls visit(Entry const&) in the order of names; of two entries with one name only the first is visited.
template <Entries Range, typename Visit, typename Chosen = AnyEntry>
void for_each_by_name(Range const& entries, Visit visit, Chosen const& chosen = {}) {
    EntryOf<Range> last = nullptr;
    for (;;) {
        EntryOf<Range> next = nullptr;
        for (EntryOf<Range> const entry : entries) {
            if (!chosen(*entry) || (last != nullptr && entry->name <= last->name)) continue;
            if (next == nullptr || entry->name < next->name) next = entry;
        }
        if (next == nullptr) return;
        visit(*next);
        last = next;
    }
}

// How wide the column of names is.
template <Entries Range, typename Chosen> std::size_t summary_width(Range const& entries, Chosen const& chosen) {
    std::size_t width = 0;
    for (EntryOf<Range> const entry : entries) {
        if (chosen(*entry)) width = std::max(width, entry->name.size());
    }
    return width;
}

// One line per entry, "  NAME  SUMMARY", in the order of names.
template <Entries Range, typename Chosen>
void print_summaries(TextSink& out, Range const& entries, std::size_t width, Chosen const& chosen) {
    auto const print = [&](auto const& entry) {
        format(out, "  {}", entry.name);
        for (std::size_t filled = entry.name.size(); filled < width + 2; ++filled) out.write(" ");
        format(out, "{}\n", entry.summary);
    };
    for_each_by_name(entries, print, chosen);
}

// Whether someone who typed `typed` may have meant `name`: it begins so, or up to two characters were missed,
// doubled, or mistaken (one, in names of up to three characters).
bool similar(std::string_view typed, std::string_view name);

// "unknown KIND 'TYPED'; did you mean A, B?", or without a question where no name is similar.
template <Entries Range, typename Chosen = AnyEntry>
Error unknown_name(std::string_view kind, std::string_view typed, Range const& entries, Chosen const& chosen = {}) {
    FixedText<128> question;
    auto const add = [&](auto const& entry) {
        if (!similar(typed, entry.name)) return;
        format(question, "{}{}", question.view().empty() ? "; did you mean " : ", ", entry.name);
    };
    for_each_by_name(entries, add, chosen);
    return Error::of("unknown {} '{}'{}{}", kind, typed, question.view(), question.view().empty() ? "" : "?");
}

} // namespace mxk::console
