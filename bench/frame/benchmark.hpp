// A benchmark is a command below `bench`. It registers itself where it is defined, in one file and no other edit:
//
//     class AdditionExperiment final : public Experiment {     // bench/frame/experiment.hpp
//       public:
//         using Options = AdditionOptions;                     // derived from RunOptions
//         static constexpr std::string_view name = "addition";
//         static Result<AdditionExperiment> create(Options const& options);   // or, where it is never moved,
//         explicit AdditionExperiment(Options const& options);                // a constructor
//         Result<void> set_up();                                              // and the rest of it
//         ...
//     };
//     constexpr auto addition = benchmark<AdditionExperiment, addition_schema>({.summary = "...", .notes = "..."});
//     MXK_REGISTER(mxk_commands, console::Command, addition);
//
// `bench addition` then parses the options, makes the experiment, and measures and reports it (measure()).
#pragma once

#include <span>
#include <string_view>

#include "bench/frame/experiment.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "tasks/prefetching.hpp"

namespace mxk::bench {

// The measuring frame runs every configuration of an experiment as often as was asked for (`--repeat auto`: until three
// runs or more were quiet and their 95 % interval is within 5 % of the median, or it has taken 60 s, or all has taken
// as long as it may), in rounds, each round beginning with another configuration, so that what changes slowly on the
// machine (temperature, other guests of a host) does not favour one of them. Rows are printed as soon as they and those
// before them are complete. At the end the first configuration is run again: how much its median differs is the drift
// that all rows may have. A drift over 10 % or a 95 % interval wider than a quarter of the median is a WARN: the
// machine was not quiet.
//
// Measures and reports all of it. `name`: of the benchmark, as in `bench NAME`. Fails if a run ends with an error or a
// row is not verified; what was measured before an error is still reported. The console's task; blocks it until done.
console::Outcome measure(console::Invocation& invocation, std::string_view name, Experiment& experiment,
                         RunOptions const& options);

// Takes the experiments that commands make, in place of their measurement. One at a time; the console's task.
class ExperimentTaker {
  public:
    // Null: they are measured.
    static ExperimentTaker*& current();
    // It lives until this returns.
    virtual void take(Experiment& experiment) = 0;

  protected:
    ~ExperimentTaker() = default;
};

template <typename E>
console::Outcome run_benchmark(console::Invocation& invocation, typename E::Options const& options) {
    prefetching::settle(Worker::current());
    if constexpr (requires { E::create(options); }) {
        auto experiment = E::create(options);
        if (!experiment) return invocation.fail(experiment.error());
        return measure(invocation, E::name, experiment.value(), options);
    } else {
        E experiment(options);
        if (auto const is_set_up = experiment.set_up(); !is_set_up) return invocation.fail(is_set_up.error());
        return measure(invocation, E::name, experiment, options);
    }
}

// What the help of a benchmark says; as in console::Command.
struct BenchmarkHelp {
    std::string_view summary;
    std::string_view notes = {};
    std::string_view parent = "bench"; // of a group, "bench GROUP"; the experiment's name is "GROUP NAME" then
    void (*more_help)(TextSink& out) = nullptr;
    void (*more_words)(std::span<std::string_view const> before, console::Candidates& candidates) = nullptr;
};

template <typename E, auto const& schema> consteval console::Command benchmark(BenchmarkHelp const& help) {
    return console::command<&run_benchmark<E>, schema>({.name = E::name.substr(E::name.rfind(' ') + 1),
                                                        .summary = help.summary,
                                                        .parent = help.parent,
                                                        .notes = help.notes,
                                                        .more_help = help.more_help,
                                                        .more_words = help.more_words});
}

} // namespace mxk::bench
