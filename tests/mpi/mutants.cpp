// Commands of the programs mxk-mpi-mutants-*: which mutant there is from now on, and which places of the locks' sources
// were met since then.
#include "tests/mpi/mutants.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "kernel/console/options.hpp"
#include "main/mpi/session.hpp"
#include "tests/model/places.hpp"

namespace mxk::mpi {
namespace {

enum class Mutation : std::uint8_t { None, LeftOut, Unflushed, Always, Never };
constexpr auto value_names(Mutation /*unused*/) {
    using console::NamedValue;
    return std::array{NamedValue{Mutation::None, "none"}, NamedValue{Mutation::LeftOut, "left-out"},
                      NamedValue{Mutation::Unflushed, "unflushed"}, NamedValue{Mutation::Always, "always"},
                      NamedValue{Mutation::Never, "never"}};
}

struct Mutant {
    std::string place; // "mcs_lock.hpp:61:20"
    bool near = false; // in a lock of a node
    Mutation mutation = Mutation::None;
};

// A place, once for each instance of its template.
struct Met {
    Where from;
    Step step;
    bool near;
    Mutation mutation;
};

Mutant mutant;
std::vector<Met> places;
std::uint64_t changes = 0; // what was done otherwise
bool is_unflushed = false;

std::string place_of(Where const& from) {
    return test::file_of(from) + ":" + std::to_string(from.line()) + ":" + std::to_string(from.column());
}

Mutation mutation_at(Step step, Where const& from) {
    for (Met const& met : places)
        if (met.from.line() == from.line() && met.from.column() == from.column() &&
            met.from.function_name() == from.function_name() && met.from.file_name() == from.file_name())
            return met.mutation;
    std::string_view const function = from.function_name(); // with the template's arguments
    bool const near = function.find("F = mxk::locks::BasicOneSided<true>") != function.npos;
    bool const is_it = mutant.near == near && mutant.place == place_of(from);
    return places.emplace_back(from, step, near, is_it ? mutant.mutation : Mutation::None).mutation;
}

} // namespace

bool does(Step step, Where const& from) {
    Mutation const mutation = mutation_at(step, from);
    if (mutation == Mutation::None) return true;
    ++changes;
    is_unflushed = mutation == Mutation::Unflushed;
    return mutation != Mutation::LeftOut;
}

bool decides(Where const& from, bool is_true) {
    Mutation const mutation = mutation_at(Step::Condition, from);
    if (mutation != (is_true ? Mutation::Never : Mutation::Always)) return is_true;
    ++changes;
    return !is_true;
}

bool leaves_out_flush() {
    return std::exchange(is_unflushed, false);
}

namespace {

struct MutantOptions {
    std::string_view place;
    bool near = false;
    Mutation mutation = Mutation::None;
    bool lazy = false;
};
constexpr auto mutant_schema = console::schema<MutantOptions>(
    console::option<&MutantOptions::place>("place", "file, line and column, as 'met' says"),
    console::flag<&MutantOptions::near>("near", "in a lock of a node"),
    console::option<&MutantOptions::mutation>("mutation", "what is done otherwise"),
    console::flag<&MutantOptions::lazy>("lazy", "an MPI that begins nothing before its flush"));

Result<bool> run_mutant(Session& session, std::span<std::string_view const> arguments) {
    MutantOptions options;
    MXK_TRY(console::parse(arguments, mutant_schema, options));
    session.world.barrier();
    mutant = {.place = std::string(options.place), .near = options.near, .mutation = options.mutation};
    is_lazy = options.lazy;
    places.clear();
    changes = 0;
    return true;
}

constexpr std::string_view name_of(Step step) {
    constexpr std::array<std::string_view, 4> names{"store", "put", "update", "condition"};
    return names.at(static_cast<std::size_t>(step));
}

struct MetOptions {
    std::string_view file;
};
constexpr auto met_schema =
    console::schema<MetOptions>(console::option<&MetOptions::file>("file", "gets a line of each rank for each place"));

// What ranks print at a time would be mixed.
void append(std::string const& file) {
    int const opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    for (Met const& met : places) {
        FixedText<400> text;
        JsonLine line(text);
        std::string const place = place_of(met.from);
        std::string const function = test::function_of(met.from);
        line.json().field("place", std::string_view(place));
        line.json().field("near", met.near);
        line.json().field("step", name_of(met.step));
        line.json().field("function", std::string_view(function));
        line.end();
        [[maybe_unused]] auto const written = ::write(opened, text.view().data(), text.view().size());
    }
    ::close(opened);
}

Result<bool> run_met(Session& session, std::span<std::string_view const> arguments) {
    MetOptions options;
    MXK_TRY(console::parse(arguments, met_schema, options));
    if (!options.file.empty()) append(std::string(options.file));
    std::uint64_t const all = session.sum(changes);
    JsonLine line(session.out);
    line.json().field("changes", all);
    line.end();
    return true;
}

constexpr Command mutant_command{
    .name = "mutant",
    .summary = "from now on one step of the locks' is not done; none by default",
    .run = &run_mutant,
    .help = [](TextSink& out) { console::print_help(out, mutant_schema, MutantOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, mutant_command);
constexpr Command met_command{.name = "met",
                              .summary = "the places met since 'mutant', and how often something else was done",
                              .run = &run_met,
                              .help = [](TextSink& out) { console::print_help(out, met_schema, MetOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, met_command);

} // namespace

} // namespace mxk::mpi

namespace mxk::test {

// Of the sources' copies in this program (tests/model/atomic.hpp).
bool Places::condition(Place const& place, bool is_true) {
    return mpi::decides(place.from, is_true);
}

} // namespace mxk::test
