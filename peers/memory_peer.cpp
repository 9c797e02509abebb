// `bench memory-peer`: the latency of a load by working set, measured without anything of MXK but the frame around it,
// for comparison with `bench memory --part latency`: the same sizes, cores, numbers and fields.
#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "bench/frame/benchmark.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/topology/system_topology.hpp"
#include "peers/pinned_thread.hpp"
#include "peers/plain_chase.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

struct MemoryPeerOptions : CostOptions {
    std::uint64_t max = GiB;
    std::uint64_t loads = 1'000'000;
};

constexpr auto memory_peer_schema = console::schema<MemoryPeerOptions>(
    console::option<&CostOptions::cores>("cores", "the core that waits for its loads (none given: 0)",
                                         console::between(0, 65535)),
    console::option<&MemoryPeerOptions::max>("max", "bytes, the largest working set",
                                             console::between(WorkingSets::smallest, std::uint64_t{1} << 36)),
    console::option<&MemoryPeerOptions::loads>("loads", "no fewer are timed in a run",
                                               console::between(1, 1'000'000'000)),
    run_option::repeat, run_option::warm_up, run_option::json);

class MemoryPeer final : public Experiment {
  public:
    using Options = MemoryPeerOptions;
    static constexpr std::string_view name = "memory-peer";

    static Result<MemoryPeer> create(Options const& options) {
        auto const cores = options.cores.values();
        std::size_t const core = cores.empty() ? 0 : cores[0];
        if (cores.size() > 1) return Error::of("--cores: expected one core, got {}", cores.size());
        if (core >= system_topology().cores.size())
            return Error::of("--cores: expected a core from 0 to {}, those of this machine, got {}",
                             system_topology().cores.size() - 1, core);
        try {
            return MemoryPeer(options, core_id(core), std::make_unique<PlainChase>(options.max));
        } catch (std::exception const&) {
            return Error::of("out of memory: the system has no {}", byte_text(options.max).view());
        }
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return sets_.bytes().size(); }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        MXK_TRY(progress.check());
        std::optional<PlainChase::Latency> latency;
        try {
            run_pinned(core_, [&] { latency = chase_->measure(sets_.bytes()[configuration], options_.loads); });
        } catch (std::exception const& thrown) {
            return Error(thrown.what());
        }
        samples[0] = {.value = latency->nanoseconds, .operations = latency->loads, .verified = latency->verified};
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each line once"; }

    void print_head(TextSink& out) const override {
        format(out, "memory-peer: loads of core {}, by a plain loop over memory of its own; {} runs per row\n", core_,
               options_.repeat);
    }
    void print_label_heading(TextSink& out) const override { format(out, "{:>12}", "working set"); }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:>12}", byte_text(bytes_of(row)).view());
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "latency, {}", byte_text(bytes_of(row)).view());
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("peer", "chase");
        json.field("library", "none");
        json.field("measure", "latency");
        json.field("core", core_);
        json.field("bytes", bytes_of(row));
    }

  private:
    MemoryPeer(Options const& options, CoreId core, std::unique_ptr<PlainChase> chase)
        : options_(options)
        , core_(core)
        , chase_(std::move(chase))
        , sets_(WorkingSets::up_to(options.max)) {}

    [[nodiscard]] std::size_t bytes_of(Row const& row) const { return sets_.bytes()[row.configuration]; }

    Options options_;
    CoreId core_;
    std::unique_ptr<PlainChase> chase_;
    WorkingSets sets_;
};
constexpr auto memory_peer_benchmark = benchmark<MemoryPeer, memory_peer_schema>(
    {.summary = "ns per load by working set, by a plain loop over memory of its own, as lat_mem_rd does",
     .notes = "Example: bench memory-peer --max 256Mi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, memory_peer_benchmark);

} // namespace
} // namespace mxk::bench
