// `bench memory-peer`: the latency of a load by working set, measured without anything of MXK but the frame around it,
// for comparison with `bench memory --part latency`: the same sizes, cores, numbers and fields.
#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "bench/frame/grid.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/topology/system_topology.hpp"
#include "peers/pinned_thread.hpp"
#include "peers/plain_memory.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// The latency of a load: memory of its own (mmap), an order of its own, the system's clock. As lat_mem_rd of lmbench
// does (McVoy, Staelin 1996), with random order: a chain of loads of which each gives the address of the next one.
class PlainChase {
  public:
    // Memory for sets of up to `bytes`. Throws std::bad_alloc.
    explicit PlainChase(std::size_t bytes)
        : memory_(bytes) {}

    // Nanoseconds per load, the median of some parts of the run, in a set of `bytes`, with no fewer than `loads` timed,
    // on the calling thread. Verified: the chain came to each line once.
    Sample measure(std::size_t bytes, std::size_t loads) {
        std::size_t const lines = bytes / sizeof(Line);
        Line* const first = link(lines);
        bool const verified = goes_round(first, lines); // and brings what has room into the caches
        std::size_t const rounds = std::max(loads, lines) / parts / unrolled + 1;
        std::vector<double> times;
        Line* volatile kept = first; // so that the loads are not left out
        measured_part_begins();
        for (std::size_t part = 0; part < parts; ++part) {
            Line* line = kept;
            auto const start = std::chrono::steady_clock::now();
            for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
                for (std::size_t step = 0; step < unrolled; ++step) line = line->next;
            }
            kept = line;
            std::chrono::duration<double, std::nano> const time = std::chrono::steady_clock::now() - start;
            times.push_back(time.count() / static_cast<double>(rounds * unrolled));
        }
        measured_part_ends();
        std::ranges::sort(times);
        return {.value = times[times.size() / 2], .operations = parts * rounds * unrolled, .verified = verified};
    }

  private:
    static constexpr std::size_t parts = 16; // of a run, timed each for itself
    static constexpr std::size_t unrolled = 16;

    struct alignas(64) Line {
        Line* next;
        std::uint64_t visits;
    };

    // Gives the first line.
    [[nodiscard]] Line* link(std::size_t lines) const {
        auto* const all = memory_.start_as<Line>();
        std::vector<std::uint32_t> order(lines);
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), std::mt19937_64(lines)); // the same in each run
        for (std::size_t at = 0; at < lines; ++at) all[order[at]] = {&all[order[(at + 1) % lines]], 0};
        return &all[order[0]];
    }
    // Untimed: follows the chain once and counts.
    static bool goes_round(Line* first, std::size_t lines) {
        Line* line = first;
        for (std::size_t at = 0; at < lines; ++at) {
            if (++line->visits != 1) return false;
            line = line->next;
        }
        return line == first;
    }

    PlainMemory memory_;
};

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
    run_option::all);

class MemoryPeer final : public GridExperiment {
  public:
    using Options = MemoryPeerOptions;
    static constexpr std::string_view name = "memory-peer";

    explicit MemoryPeer(Options const& options)
        : options_(options)
        , sets_(WorkingSets::up_to(options.max)) {}
    Result<void> set_up() override {
        auto const cores = options_.cores.values();
        std::size_t const core = cores.empty() ? 0 : cores[0];
        if (cores.size() > 1) return Error::of("--cores: expected one core, got {}", cores.size());
        if (core >= system_topology().cores.size())
            return Error::of("--cores: expected a core from 0 to {}, those of this machine, got {}",
                             system_topology().cores.size() - 1, core);
        core_ = core_id(core);
        add(Axis::of("working set", 12, sets_.bytes(), ""));
        try {
            chase_.emplace(options_.max);
        } catch (std::exception const&) {
            return Error::of("out of memory: the system has no {}", byte_text(options_.max).view());
        }
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        MXK_TRY(progress.check());
        try {
            run_pinned(core_, [&] { samples[0] = chase_->measure(sets_.bytes()[point[0]], options_.loads); });
        } catch (std::exception const& thrown) {
            return Error(thrown.what());
        }
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each line once"; }

    void print_head(TextSink& out) const override {
        format(out, "memory-peer: loads of core {}, by a plain loop over memory of its own; {} runs per row\n", core_,
               options_.repeat.text().view());
    }

  private:
    void print_value(TextSink& out, std::size_t /*axis*/, std::size_t at) const override {
        out.write(byte_text(sets_.bytes()[at]).view());
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        json.field("peer", "chase");
        json.field("library", "none");
        json.field("measure", "latency");
        json.field("core", core_);
        json.field("bytes", sets_.bytes()[point[0]]);
    }

    Options const& options_;
    CoreId core_{};
    std::optional<PlainChase> chase_;
    WorkingSets sets_;
};
constexpr auto memory_peer_benchmark = benchmark<MemoryPeer, memory_peer_schema>(
    {.summary = "ns per load by working set, by a plain loop over memory of its own, as lat_mem_rd does",
     .notes = "Example: bench memory-peer --max 256Mi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, memory_peer_benchmark);

} // namespace
} // namespace mxk::bench
