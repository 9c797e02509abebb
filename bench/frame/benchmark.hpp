// A benchmark registers itself where it is defined, in one file and no other edit:
//
//     class AdditionExperiment final : public Experiment {     // bench/frame/experiment.hpp
//       public:
//         using Options = AdditionOptions;                     // derived from RunOptions
//         static constexpr std::string_view name = "addition";
//         static constexpr std::string_view summary = "what an atomic addition costs";
//         static constexpr auto const& schema = addition_schema;
//         static constexpr std::string_view examples = "bench addition --repeat 10 --json\n";
//         static Result<AdditionExperiment> create(Options const& options);
//         ...
//     };
//     MXK_BENCHMARK(AdditionExperiment);
//
// `bench addition` then parses the options, makes the experiment, and measures and reports it (measure.hpp). Optional:
// static void print_more_help(TextSink& out). A benchmark runs on the console's core, to its end.
#pragma once

#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/text.hpp"
#include "bench/frame/measure.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

struct Benchmark {
    std::string_view name;
    std::string_view summary; // one line, what it measures
    // The arguments are those behind NAME.
    console::Outcome (*run)(console::Invocation& invocation);
    // What `help bench NAME` prints below the summary.
    void (*help)(TextSink& out);
    // Offers what may follow the finished words `before` (without NAME).
    void (*complete)(std::span<std::string_view const> before, console::Candidates& candidates);
};

MXK_REGISTRY(mxk_benchmarks, Benchmark, registered_benchmarks)

template <typename E> console::Outcome run_benchmark(console::Invocation& invocation) {
    typename E::Options options;
    if (auto const parsed = console::parse(invocation.arguments, E::schema, options); !parsed)
        return invocation.fail(parsed.error());
    auto experiment = E::create(options);
    if (!experiment) return invocation.fail(experiment.error());
    return measure(invocation, E::name, experiment.value(), options);
}

template <typename E>
inline constexpr Benchmark benchmark_of{
    .name = E::name,
    .summary = E::summary,
    .run = &run_benchmark<E>,
    .help =
        [](TextSink& out) {
            console::print_help(out, E::schema, typename E::Options{});
            out.write(E::examples);
            if constexpr (requires { E::print_more_help(out); }) E::print_more_help(out);
        },
    .complete = [](std::span<std::string_view const> before,
                   console::Candidates& candidates) { console::complete_options(before, E::schema, candidates); },
};

} // namespace mxk::bench

#define MXK_BENCHMARK(Experiment)                                                                                      \
    constexpr auto const& Experiment##_benchmark = ::mxk::bench::benchmark_of<Experiment>;                             \
    MXK_REGISTER(mxk_benchmarks, ::mxk::bench::Benchmark, Experiment##_benchmark)
