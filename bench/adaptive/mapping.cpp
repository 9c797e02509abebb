// `bench adaptive mapping`: what a lock for each memory object costs when an address space with many of them is
// unmapped (V. Uhlig, Scalability of Microkernel-Based Systems, 2005: fine and coarse locks of the mapping database).
#include "bench/adaptive/mapping_experiment.hpp"
#include "bench/frame/benchmark.hpp"

namespace mxk::bench {
namespace {

struct UnmapOptions : MappingOptions {
    constexpr UnmapOptions()
        : MappingOptions{{{.repeat = 5}, {}}, {}, {128, 256}} {
        cores.add({.numbers = {1}, .text = "1"});
    }
};

constexpr auto unmap_schema =
    console::schema<UnmapOptions>(mapping_option::lockings, core_set_option::cores, mapping_option::pages,
                                  mapping_option::rounds, run_option::repeat, run_option::warm_up, run_option::json);

struct UnmapRuns {
    template <typename Locking> static Result<Sample> locked(MappingRun const& run) { return run_unmap<Locking>(run); }
    static Result<Sample> by_messages(MappingRun const& run, Owners owners) {
        return run_unmap_by_messages(run, owners);
    }
};

class UnmapExperiment final : public MappingExperiment {
  public:
    using Options = UnmapOptions;
    static constexpr std::string_view name = "adaptive mapping";

    static Result<UnmapExperiment> create(Options const& options) {
        return UnmapExperiment(options, MXK_TRY(CoreSetList::create(options.cores)));
    }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        return run_by_locking<UnmapRuns>(configuration, samples, progress);
    }
    void print_head(TextSink& out) const override {
        format(out,
               "adaptive mapping: cycles per page of unmapping a space whose pages are memory objects, which all cores "
               "have used; {} rounds, {} runs per row\n",
               options().rounds, options().repeat);
    }

  private:
    using MappingExperiment::MappingExperiment;
};
constexpr auto unmap_benchmark = benchmark<UnmapExperiment, unmap_schema>(
    {.summary = "cycles per page of unmapping an address space, with a lock for all memory objects or for each",
     .notes = "Example: bench adaptive mapping --locking coarse,fine --pages 128,256 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, unmap_benchmark);

} // namespace
} // namespace mxk::bench
