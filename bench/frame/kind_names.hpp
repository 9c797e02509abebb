// Kinds that registered themselves, as an option's value: names with commas between, in the order in which they are
// measured. A Kind has a `name`, and `missing`: why it was not built, empty if it was. KindRegistry<Kind> says
//
//     all          which are registered
//     what         one is called
//     list         the command that lists them
//     none_given   what is measured where none is named
#pragma once

#include <algorithm>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/named.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

template <typename Kind> struct KindRegistry;
template <typename Kind> using KindList = NodeVector<Kind const*>;

// As typed; empty: none was named.
template <typename Kind> struct KindNames {
    std::string_view text{};

    // Each kind, one after the other; `all` stands for every one that was built. Errors: no such kind, with those of a
    // similar name; one that was not built.
    template <typename Visit> Result<void> for_each(Visit visit) const {
        using Its = KindRegistry<Kind>;
        auto const kinds = Its::all();
        for (std::string_view rest = text;;) {
            std::string_view const name = rest.substr(0, rest.find(','));
            auto const* const found = console::find_by_name(kinds, name);
            if (name == "all") {
                console::for_each_by_name(kinds, visit, [](Kind const& kind) { return kind.missing.empty(); });
            } else if (found == nullptr) {
                Error const unknown = console::unknown_name(Its::what, name, kinds);
                return Error::of("{} ('{}' lists all)", unknown.message(), Its::list);
            } else if (!found->missing.empty()) {
                return Error::of("{} '{}' was not built: {}", Its::what, name, found->missing);
            } else {
                visit(*found);
            }
            if (name.size() == rest.size()) return {};
            rest.remove_prefix(name.size() + 1);
        }
    }
    // Those named; of none, what for_each_default(visit) visits. Errors: no memory. The console's task.
    template <typename ForEachDefault> Result<KindList<Kind>> kinds(ForEachDefault for_each_default) const {
        auto const visit_all = [&](auto visit) -> Result<void> {
            if (!text.empty()) return for_each(visit);
            for_each_default(visit);
            return {};
        };
        std::size_t count = 0;
        MXK_TRY(visit_all([&](Kind const&) { ++count; }));
        auto list = MXK_TRY(KindList<Kind>::create(count, Worker::current().node()));
        MXK_TRY(visit_all([&](Kind const& kind) { list.emplace(&kind); }));
        return list;
    }
    // Of none, all, in the order of names, those that were not built among them.
    Result<KindList<Kind>> kinds() const {
        return kinds([](auto visit) { console::for_each_by_name(KindRegistry<Kind>::all(), visit); });
    }
};

// What kernel/console/options.hpp asks of an option's type.
template <typename Kind> Result<void> parse_value(std::string_view text, KindNames<Kind>& names) {
    names = {text};
    return names.for_each([](Kind const&) {});
}
template <typename Kind> void print_value(TextSink& out, KindNames<Kind> const& names) {
    out.write(names.text.empty() ? KindRegistry<Kind>::none_given : names.text);
}
template <typename Kind> void describe_value(TextSink& out, KindNames<Kind> const&) {
    out.write("NAME,NAME,...");
}
template <typename Kind> void complete_value(console::Candidates& candidates, KindNames<Kind> const&) {
    candidates.start_last_of_list();
    for (auto const* const kind : KindRegistry<Kind>::all()) candidates.offer(kind->name);
    candidates.offer("all");
}

// The list below a command's options in its help; print(kind): a line about one that was built.
template <typename Kind, typename Print>
void print_kinds(TextSink& out, std::string_view heading, std::size_t width, Print print) {
    format(out, "{}:\n", heading);
    console::for_each_by_name(KindRegistry<Kind>::all(), [&](Kind const& kind) {
        FixedText<64> name;
        name.write(kind.name);
        while (name.view().size() < width) name.write(" ");
        format(out, "  {} ", name.view());
        kind.missing.empty() ? print(kind) : out.write(kind.missing);
        out.write("\n");
    });
}

} // namespace mxk::bench
