#include "bench/frame/benchmark.hpp"

#include "base/format.hpp"
#include "kernel/console/named.hpp"

namespace mxk::bench {
namespace {

using console::Candidates;
using console::Invocation;
using console::Outcome;

void list_benchmarks(TextSink& out) {
    out.write("Benchmarks:\n");
    console::print_summaries(out, registered_benchmarks());
}

Outcome fail_unknown(Invocation const& invocation, std::string_view name) {
    Error const unknown = console::unknown_name("benchmark", name, registered_benchmarks());
    return invocation.fail(Error::of("{} ('bench' lists all benchmarks)", unknown.message()));
}

Outcome run_bench(Invocation& invocation) {
    if (invocation.arguments.empty()) {
        list_benchmarks(invocation.out);
        return Outcome::Ok;
    }
    std::string_view const name = invocation.arguments.front();
    Benchmark const* const benchmark = console::find_by_name(registered_benchmarks(), name);
    if (benchmark == nullptr) return fail_unknown(invocation, name);
    invocation.arguments = invocation.arguments.subspan(1);
    return benchmark->run(invocation);
}

void help_bench(TextSink& out) {
    out.write(
        "usage: bench [NAME [OPTIONS]]\n"
        "Without a name it lists the benchmarks. 'help bench NAME' shows the options of one, and their defaults.\n");
    list_benchmarks(out);
}

Outcome help_benchmark(Invocation& invocation, std::string_view name) {
    Benchmark const* const benchmark = console::find_by_name(registered_benchmarks(), name);
    if (benchmark == nullptr) return fail_unknown(invocation, name);
    format(invocation.out, "{}: {}\nusage: bench {} [OPTIONS]\n", name, benchmark->summary, name);
    benchmark->help(invocation.out);
    return Outcome::Ok;
}

void complete_bench(std::span<std::string_view const> before, Candidates& candidates) {
    if (before.empty()) {
        for (Benchmark const* const benchmark : registered_benchmarks()) candidates.offer(benchmark->name);
        return;
    }
    Benchmark const* const benchmark = console::find_by_name(registered_benchmarks(), before.front());
    if (benchmark != nullptr) benchmark->complete(before.subspan(1), candidates);
}

constexpr console::Command bench_command{.name = "bench",
                                         .summary = "measure: 'bench' lists the benchmarks, 'bench NAME' runs one",
                                         .run = &run_bench,
                                         .help = &help_bench,
                                         .complete = &complete_bench,
                                         .help_topic = &help_benchmark};
MXK_REGISTER(mxk_commands, console::Command, bench_command);

} // namespace
} // namespace mxk::bench
