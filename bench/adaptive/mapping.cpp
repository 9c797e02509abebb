// `bench adaptive mapping`: what a lock for each memory object costs when an address space with many of them is
// unmapped; `bench adaptive revoke`: one core withdraws the right to write of some pages while the others do so of one
// page each; `bench adaptive revoke-independent`: each core withdraws rights of its own memory object, which no other
// core uses. (V. Uhlig, Scalability of Microkernel-Based Systems, 2005: fine and coarse locks of the mapping database,
// TLB coherence of concurrent and independent revocations.)
#include <string_view>

#include "bench/adaptive/mapping_run.hpp"
#include "bench/frame/grid.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {
namespace {

// The experiments of V. Uhlig's thesis (2005), each a benchmark below it.
constexpr console::Command adaptive_group{.name = "adaptive",
                                          .summary =
                                              "locks that adapt, and coherence of TLBs: 'bench adaptive' lists what "
                                              "there is",
                                          .parent = "bench",
                                          .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, adaptive_group);

struct MappingOptions : CoreSetOptions {
    NameSet<MappingLocking> lockings{};
    console::CountList pages{};
    std::uint32_t rounds = 200;
};

namespace mapping_option {
constexpr auto lockings = console::option<&MappingOptions::lockings>(
    "locking", "none, coarse, fine, dynamic, message[-one], cascade[-coarse|-fine] (none given: all)");
constexpr auto pages =
    console::option<&MappingOptions::pages>("pages", "counts, a row for each", console::between(1, 4096));
constexpr auto rounds = console::option<&MappingOptions::rounds>("rounds", "in each run; the mean is a run's value",
                                                                 console::between(1, 100'000));
} // namespace mapping_option

struct MappingBenchmark {
    std::string_view name;
    std::string_view head; // what is measured
    Result<Sample> (*run)(MappingRun const& run);
    console::CountList pages; // by default, as the two below
    NameSet<MappingLocking> lockings{};
    bool is_on_all_sets = true; // else on one core
};
template <MappingBenchmark const& measured> struct OptionsOf : MappingOptions {
    constexpr OptionsOf()
        : MappingOptions{{{.repeat = 5}, {}}, measured.lockings, measured.pages} {
        if (!measured.is_on_all_sets) cores.add({.numbers = {1}, .text = "1"});
    }
};
template <MappingBenchmark const& measured>
constexpr auto schema_of = console::schema<OptionsOf<measured>>(mapping_option::lockings, core_set_option::cores,
                                                                mapping_option::pages, mapping_option::rounds,
                                                                run_option::all);

// A configuration is a locking, on a set of cores, with so many pages; the unit is cycles, and what an operation took
// besides are findings.
class MappingExperiment : public GridExperiment {
  public:
    Result<void> set_up() final {
        add(Axis::chosen("locking", 14, options_.lockings));
        MXK_TRY(add_cores(options_.cores));
        add(Axis::of("pages", 6, options_.pages.values()));
        return {};
    }
    [[nodiscard]] Unit unit() const final { return Unit::CyclesPerOperation; }
    [[nodiscard]] bool is_measured_as_a_whole() const final { return true; }
    [[nodiscard]] std::string_view failure() const final {
        return "a core had a right that was withdrawn, or had not one that it should have";
    }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final {
        ProgressCounter nothing;
        progress.phase("rounds", 1, nothing);
        samples[0] = MXK_TRY(benchmark_.run({cores(point), chosen_at(options_.lockings, point[0]),
                                             options_.pages.values()[point[2]], options_.rounds, progress}));
        return {};
    }
    void print_head(TextSink& out) const final {
        format(out, "{}: {}; {} rounds, {} runs per row\n", benchmark_.name, benchmark_.head, options_.rounds,
               options_.repeat.text().view());
    }

  protected:
    MappingExperiment(MappingBenchmark const& benchmark, MappingOptions const& options)
        : benchmark_(benchmark)
        , options_(options) {
        options_.lockings = or_all(options_.lockings);
    }
    ~MappingExperiment() = default;

  private:
    void write_options(JsonWriter& json, Point const& /*point*/) const final { json.field("rounds", options_.rounds); }

    MappingBenchmark const& benchmark_;
    MappingOptions options_;
};

template <MappingBenchmark const& measured> struct MappingCommand final : MappingExperiment {
    using Options = OptionsOf<measured>;
    static constexpr std::string_view name = measured.name;
    explicit MappingCommand(Options const& options)
        : MappingExperiment(measured, options) {}
};

constexpr MappingBenchmark unmapping{
    .name = "adaptive mapping",
    .head = "cycles per page of unmapping a space whose pages are memory objects, which all cores have used",
    .run = &run_unmap,
    .pages = {128, 256},
    .is_on_all_sets = false};
constexpr auto unmap_benchmark = benchmark<MappingCommand<unmapping>, schema_of<unmapping>>(
    {.summary = "cycles per page of unmapping an address space, with a lock for all memory objects or for each",
     .notes = "Example: bench adaptive mapping --locking coarse,fine --pages 128,256 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, unmap_benchmark);

constexpr MappingBenchmark revoking{
    .name = "adaptive revoke",
    .head = "cycles in which the first core withdraws the right to write of its pages, while the others do of one each",
    .run = &run_revoke,
    .pages = {1, 8, 64},
    .lockings = {MappingLocking::Coarse, MappingLocking::Fine, MappingLocking::Message, MappingLocking::Cascade}};
constexpr auto revoke_benchmark = benchmark<MappingCommand<revoking>, schema_of<revoking>>(
    {.summary = "cycles of withdrawing rights on one core, while the others withdraw rights, too",
     .notes = "Example: bench adaptive revoke --cores 1,2,4 --pages 1,64 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, revoke_benchmark);

constexpr MappingBenchmark revoking_independently{
    .name = "adaptive revoke-independent",
    .head = "cycles in which a core withdraws the right to write of its one page, while the others do the same",
    .run = &run_revoke_independent,
    .pages = {1}};
constexpr auto independent_schema = console::schema<OptionsOf<revoking_independently>>(
    mapping_option::lockings, core_set_option::cores, mapping_option::rounds, run_option::all);
constexpr auto independent_benchmark = benchmark<MappingCommand<revoking_independently>, independent_schema>(
    {.summary = "cycles of withdrawing rights on each core, independently of the others",
     .notes = "Example: bench adaptive revoke-independent --cores 1,2,4 --json\n",
     .parent = "bench adaptive"});
MXK_REGISTER(mxk_commands, console::Command, independent_benchmark);

} // namespace
} // namespace mxk::bench
