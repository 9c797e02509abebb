// `call` and `mcall`: run a registered function, on one core or on all of them.
#include <array>
#include <optional>

#include "arch/core_local.hpp"
#include "base/format.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"
#include "kernel/inspect/function.hpp"
#include "kernel/inspect/number.hpp"
#include "kernel/inspect/symbol_lookup.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::inspect {
namespace {

using console::Invocation;
using console::Outcome;

// A function with its arguments, ready to run.
struct Ready {
    Function const* function = nullptr;
    std::array<std::uint64_t, max_parameters> arguments{};

    [[nodiscard]] Result<std::uint64_t> run() const {
        return function->run(std::span(arguments).first(function->parameter_count));
    }
};

struct CallTarget {
    std::string_view name;
    console::WordList arguments;
};
struct CallOptions : CallTarget {
    std::uint32_t core = 0;
};

constexpr auto call_schema = console::schema<CallOptions>(
    console::positional<&CallOptions::name>("NAME", "of a function; none: list them"),
    console::positional<&CallOptions::arguments>("NUMBER", "its arguments: 18, 0x12, 022, &FUNCTION, *ADDRESS"),
    console::option<&CallOptions::core>("core", "that runs it", console::between(0, 65535)));
constexpr auto mcall_schema = console::schema<CallTarget>(
    console::positional<&CallTarget::name>("NAME", "of a function; none: list them"),
    console::positional<&CallTarget::arguments>("NUMBER", "its arguments, the same on all cores"));

void print_signature(TextSink& out, Function const& function) {
    format(out, "{}{}{}", function.name, function.parameters.empty() ? "" : " ", function.parameters);
}

std::size_t signature_width(Function const& function) {
    return function.name.size() + (function.parameters.empty() ? 0 : 1) + function.parameters.size();
}

void list_functions(TextSink& out) {
    std::size_t width = 0;
    for (Function const* const each : registered_functions()) width = std::max(width, signature_width(*each));
    out.write("Functions:\n");
    console::for_each_by_name(registered_functions(), [&](Function const& function) {
        out.write("  ");
        print_signature(out, function);
        for (std::size_t filled = signature_width(function); filled < width + 2; ++filled) out.write(" ");
        format(out, "{}\n", function.summary);
    });
}

Result<Ready> prepare_call(CallTarget const& wanted) {
    Ready ready{.function = console::find_by_name(registered_functions(), wanted.name)};
    if (ready.function == nullptr) {
        Error const unknown = console::unknown_name("function", wanted.name, registered_functions());
        return Error::of("{} ('call' lists all functions)", unknown.message());
    }
    auto const words = wanted.arguments.values();
    std::size_t const expected = ready.function->parameter_count;
    if (words.size() != expected)
        return Error::of("expected {} argument{} ({} {}), got {}", expected, expected == 1 ? "" : "s", wanted.name,
                         expected == 0 ? "takes none" : ready.function->parameters, words.size());
    for (std::size_t i = 0; i < expected; ++i) ready.arguments[i] = MXK_TRY(parse_number(words[i]));
    return ready;
}

void print_value(TextSink& out, Function const& function, std::uint64_t value) {
    if (function.has_value)
        format(out, "{} (0x{:x})\n", value, value);
    else
        out.write("done\n");
}

Outcome run_call(Invocation& invocation, CallOptions const& options) {
    if (options.name.empty()) return list_functions(invocation.out), Outcome::Ok;
    std::size_t const cores = system_topology().cores.size();
    if (options.core >= cores)
        return invocation.fail(Error::of("--core: expected a core below {}, got {}", cores, options.core));
    auto const ready = prepare_call(options);
    if (!ready) return invocation.fail(ready.error());
    std::optional<Result<std::uint64_t>> result;
    call_on(core_id(options.core), [&] { result.emplace(ready.value().run()); });
    if (!*result) return invocation.fail(result->error());
    print_value(invocation.out, *ready.value().function, result->value());
    return Outcome::Ok;
}

// One line for each core that gave a value; what the others said is the error.
Outcome print_results(Invocation& invocation, Function const& function,
                      std::span<Result<std::uint64_t> const> results) {
    std::size_t failed = 0;
    Result<std::uint64_t> const* first = nullptr;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i]) {
            format(invocation.out, "core {}: ", i);
            print_value(invocation.out, function, results[i].value());
        } else {
            if (failed++ == 0) first = &results[i];
        }
    }
    if (failed == 0) return Outcome::Ok;
    return invocation.fail(Error::of("on {} of {} cores: {}", failed, results.size(), first->error().message()));
}

Outcome run_mcall(Invocation& invocation, CallTarget const& options) {
    if (options.name.empty()) return list_functions(invocation.out), Outcome::Ok;
    auto const ready = prepare_call(options);
    if (!ready) return invocation.fail(ready.error());
    std::size_t const count = system_topology().cores.size();
    auto cores = NodeVector<CoreId>::create(count, node_id(0));
    auto results = NodeVector<Result<std::uint64_t>>::create(count, node_id(0));
    if (!cores || !results) return invocation.fail(cores ? results.error() : cores.error());
    for (std::size_t i = 0; i < count; ++i) {
        cores.value().emplace(core_id(i));
        results.value().emplace(std::uint64_t{0});
    }
    auto const values = results.value().span();
    call_on_each(cores.value().span(), [&] { values[index(arch::core_local().id)] = ready.value().run(); });
    return print_results(invocation, *ready.value().function, values);
}

void offer_call(std::span<std::string_view const> before, console::Candidates& candidates) {
    if (!before.empty()) return candidates.word().starts_with('&') ? offer_functions(candidates, "&") : void();
    for (Function const* const each : registered_functions()) candidates.offer(each->name);
}

constexpr auto call_command = console::command<&run_call, call_schema>(
    {.name = "call",
     .summary = "run a registered function and show its value; alone it lists them",
     .group = "debugging",
     .notes = "Example: call peek &mxk::clock::now; call timestamp --core 1; call value *0xffffffff80000000\n"
              "It runs between two tasks of the core, in a task's place. &FUNCTION is an address ('symaddr'), *ADDRESS "
              "the\neight bytes there. Of a device's memory even a read can change something.\n",
     .more_help = &list_functions,
     .more_words = &offer_call});
constexpr auto mcall_command = console::command<&run_mcall, mcall_schema>(
    {.name = "mcall",
     .summary = "run a registered function on every core and show the values",
     .group = "debugging",
     .notes = "Example: mcall timestamp; mcall read-msr 0x10\n"
              "All cores run it at the same time, each between two of its tasks.\n",
     .more_help = &list_functions,
     .more_words = &offer_call});
MXK_REGISTER(mxk_commands, console::Command, call_command);
MXK_REGISTER(mxk_commands, console::Command, mcall_command);

} // namespace
} // namespace mxk::inspect
