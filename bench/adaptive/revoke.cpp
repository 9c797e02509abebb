// `bench adaptive revoke`: one core withdraws the right to write of some pages while the others do so of one page each
// (V. Uhlig, Scalability of Microkernel-Based Systems, 2005: TLB coherence of concurrent revocations).
#include "bench/adaptive/mapping_experiment.hpp"
#include "bench/frame/benchmark.hpp"

namespace mxk::bench {
namespace {

struct RevokeOptions : MappingOptions {
    constexpr RevokeOptions()
        : MappingOptions{
              {{.repeat = 5}, {}},
              {MappingLocking::Coarse, MappingLocking::Fine, MappingLocking::Message, MappingLocking::Cascade},
              {1, 8, 64}} {}
};

constexpr auto revoke_schema =
    console::schema<RevokeOptions>(mapping_option::lockings, core_set_option::cores, mapping_option::pages,
                                   mapping_option::rounds, run_option::repeat, run_option::warm_up, run_option::json);

struct RevokeRuns {
    template <typename Locking> static Result<Sample> locked(MappingRun const& run) { return run_revoke<Locking>(run); }
    static Result<Sample> by_messages(MappingRun const& run, Owners owners) {
        return run_revoke_by_messages(run, owners);
    }
};

class RevokeExperiment final : public MappingExperiment {
  public:
    using Options = RevokeOptions;
    static constexpr std::string_view name = "adaptive revoke";

    static Result<RevokeExperiment> create(Options const& options) {
        return RevokeExperiment(options, MXK_TRY(CoreSetList::create(options.cores)));
    }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        return run_by_locking<RevokeRuns>(configuration, samples, progress);
    }
    void print_head(TextSink& out) const override {
        format(out,
               "adaptive revoke: cycles in which the first core withdraws the right to write of its pages, while the "
               "others do of one each; {} rounds, {} runs per row\n",
               options().rounds, options().repeat);
    }

  private:
    using MappingExperiment::MappingExperiment;
};
constexpr auto revoke_benchmark = benchmark<RevokeExperiment, revoke_schema>(
    {.summary = "cycles of withdrawing rights on one core, while the others withdraw rights, too",
     .notes = "Example: bench adaptive revoke --cores 1,2,4 --pages 1,64 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, revoke_benchmark);

} // namespace
} // namespace mxk::bench
