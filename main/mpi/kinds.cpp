#include "main/mpi/kinds.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "kernel/console/options.hpp"

namespace mxk::mpi {

Result<std::vector<locks::LockKind const*>> lock_kinds(Session const& session, std::string_view names) {
    std::vector<locks::LockKind const*> kinds;
    for (locks::LockKind const* kind : locks::registered_lock_kinds())
        if (kind->forms.mpi.is_there() && (session.nodes() == 1 || !kind->of_one_node)) kinds.push_back(kind);
    std::ranges::sort(kinds, {}, &locks::LockKind::name);
    if (names.empty()) return kinds;
    std::vector<locks::LockKind const*> chosen;
    for (;;) {
        std::string_view const name = names.substr(0, names.find(','));
        auto const found = std::ranges::find(kinds, name, &locks::LockKind::name);
        if (found == kinds.end()) return Error::of("expected a lock that 'list' names, got '{}'", name);
        chosen.push_back(*found);
        if (name.size() == names.size()) return chosen;
        names.remove_prefix(name.size() + 1);
    }
}

Result<std::vector<locks::LockKind const*>> default_lock_kinds(Session const& session) {
    auto kinds = MXK_TRY(lock_kinds(session, {}));
    std::erase_if(kinds, [](auto const* kind) { return kind->by_default.mpi == 0; });
    std::ranges::sort(kinds, {}, [](auto const* kind) { return kind->by_default.mpi; });
    return kinds;
}

namespace {

struct ListOptions {
    bool json = false;
};
constexpr auto list_schema =
    console::schema<ListOptions>(console::flag<&ListOptions::json>("json", "one line per lock for tools"));

Result<bool> run_list(Session& session, std::span<std::string_view const> arguments) {
    ListOptions options;
    MXK_TRY(console::parse(arguments, list_schema, options));
    for (locks::LockKind const* kind : MXK_TRY(lock_kinds(session, {}))) {
        if (!options.json) {
            format(session.out, "{:<20} {:<10} {}\n", kind->name, name_of(kind->fairness), kind->summary);
            continue;
        }
        JsonLine line(session.out);
        line.json().field("lock", kind->name);
        line.json().field("fairness", name_of(kind->fairness));
        line.json().field("has_nodes", kind->has_nodes);
        line.json().field("summary", kind->summary);
        line.end();
    }
    return true;
}

constexpr Command list{.name = "list",
                       .summary = "the locks that there are over MPI",
                       .run = &run_list,
                       .help = [](TextSink& out) { console::print_help(out, list_schema, ListOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, list);

} // namespace
} // namespace mxk::mpi
