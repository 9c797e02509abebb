// `bench adaptive revoke-independent`: each core withdraws rights of its own memory object, which no other core uses
// (V. Uhlig, Scalability of Microkernel-Based Systems, 2005: independent revocations).
#include "bench/adaptive/mapping_experiment.hpp"
#include "bench/frame/benchmark.hpp"

namespace mxk::bench {
namespace {

struct IndependentOptions : MappingOptions {
    constexpr IndependentOptions()
        : MappingOptions{{{.repeat = 5}, {}}, {}, {1}} {}
};

constexpr auto independent_schema =
    console::schema<IndependentOptions>(mapping_option::lockings, core_set_option::cores, mapping_option::rounds,
                                        run_option::repeat, run_option::warm_up, run_option::json);

struct IndependentRuns {
    template <typename Locking> static Result<Sample> locked(MappingRun const& run) {
        return run_revoke_independent<Locking>(run);
    }
    static Result<Sample> by_messages(MappingRun const& run, Owners owners) {
        return run_revoke_independent_by_messages(run, owners);
    }
};

class IndependentExperiment final : public MappingExperiment {
  public:
    using Options = IndependentOptions;
    static constexpr std::string_view name = "adaptive revoke-independent";

    static Result<IndependentExperiment> create(Options const& options) {
        return IndependentExperiment(options, MXK_TRY(CoreSetList::create(options.cores)));
    }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        return run_by_locking<IndependentRuns>(configuration, samples, progress);
    }
    void print_head(TextSink& out) const override {
        format(
            out,
            "adaptive revoke-independent: cycles in which a core withdraws the right to write of its one page, while "
            "the others do the same; {} rounds, {} runs per row\n",
            options().rounds, options().repeat);
    }

  private:
    using MappingExperiment::MappingExperiment;
};
constexpr auto independent_benchmark = benchmark<IndependentExperiment, independent_schema>(
    {.summary = "cycles of withdrawing rights on each core, independently of the others",
     .notes = "Example: bench adaptive revoke-independent --cores 1,2,4 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, independent_benchmark);

} // namespace
} // namespace mxk::bench
