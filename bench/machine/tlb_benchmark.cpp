// `bench tlb`: what a load costs by the number of pages that loads go to, one line in each, for each size of page that
// there is. What the numbers are: docs/bench-machine.md.
#include <algorithm>
#include <array>

#include "arch/machine.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/grid.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase.hpp"
#include "bench/machine/measured_memory.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

struct TlbOptions : CostOptions {
    std::optional<std::uint64_t> max{};
    std::uint64_t loads = 1'000'000;
};

constexpr auto tlb_schema = console::schema<TlbOptions>(
    console::option<&CostOptions::cores>("cores", "the core that is measured (none given: 0)",
                                         console::between(0, 65535)),
    console::option<&TlbOptions::max>("max",
                                      "bytes that the pages of a size have together (none given: 256 MiB of 4 "
                                      "KiB pages, 1 GiB of 2 MiB pages, 8 GiB; where emulated less)",
                                      console::between(4096, std::uint64_t{1} << 42)),
    console::option<&TlbOptions::loads>("loads", "no fewer are timed in a run", console::between(1, 1'000'000'000)),
    run_option::all);

struct PageSize {
    std::size_t bytes;
    std::size_t pages;          // up to so many are measured
    std::size_t emulated_pages; // where there is no TLB but the emulator's
};
constexpr std::array page_sizes{PageSize{4 * KiB, 65536, 1024}, PageSize{2 * MiB, 512, 16}, PageSize{GiB, 8, 1}};

std::string_view name_of_size(std::size_t page_bytes) {
    return page_bytes == GiB ? "pages of 1 GiB" : page_bytes == 2 * MiB ? "pages of 2 MiB" : "pages of 4 KiB";
}

// A configuration is a number of pages of a size.
class TlbExperiment final : public Experiment {
  public:
    using Options = TlbOptions;
    static constexpr std::string_view name = "tlb";

    explicit TlbExperiment(Options const& options)
        : options_(options) {}
    Result<void> set_up() {
        auto const cores = options_.cores.values();
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), cores));
        if (cores.size() > 1) return Error::of("--cores: expected one core, got {}", cores.size());
        core_ = MXK_TRY(choice.cores_for(Placement::OneCore)).first;
        NodeId const here = Worker::current().node();
        bool const is_emulated = arch::describe_machine().is_emulated();

        memories_ = MXK_TRY(NodeVector<PagedMemory>::create(page_sizes.size(), here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(page_sizes.size(), here));
        constexpr std::size_t max_steps_of_size = 128; // two for each power of two
        steps_ = MXK_TRY(NodeVector<Step>::create(page_sizes.size() * max_steps_of_size, here));
        for (PageSize const& size : page_sizes) {
            std::size_t const pages = options_.max  ? *options_.max / size.bytes
                                      : is_emulated ? size.emulated_pages
                                                    : size.pages;
            if (pages == 0) {
                skipped_.emplace(name_of_size(size.bytes), Error("one is more than --max"));
                continue;
            }
            auto memory = PagedMemory::create(pages, size.bytes, memory_node_of(core_));
            if (memory)
                add_steps(memories_.emplace(std::move(memory).value()));
            else
                skipped_.emplace(name_of_size(size.bytes), memory.error());
        }
        if (steps_.size() == 0) return Error("no size of page can be measured on this machine");
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::NanosecondsPerOperation; }
    [[nodiscard]] std::size_t configurations() const override { return steps_.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        Step const& step = steps_[configuration];
        ChaseLayout const layout{step.memory->start(), step.pages, step.memory->page_bytes()};
        samples[0] = MXK_TRY(measure_chase(core_, layout, options_.loads, progress));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "the chain did not visit each page once"; }

    void print_head(TextSink& out) const override {
        format(out, "tlb: loads of core {}, each waits for the one before, one line in each page; {} runs per row\n",
               core_, options_.repeat.text().view());
        if (arch::describe_machine().is_emulated())
            out.write("emulated: shows function, not the hardware; few pages, so that it takes seconds\n");
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:>8} {:>7} {:>10}", "page", "pages", "together");
    }
    void print_label(TextSink& out, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        std::size_t const page_bytes = step.memory->page_bytes();
        format(out, "{:>8} {:7} {:>10}", byte_text(page_bytes).view(), step.pages,
               byte_text(step.pages * page_bytes).view());
    }
    void print_title(TextSink& out, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        format(out, "pages of {}: {}", byte_text(step.memory->page_bytes()).view(), step.pages);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        Step const& step = steps_[row.configuration];
        json.field("measure", "page-latency");
        json.field("core", core_);
        json.field("page_bytes", step.memory->page_bytes());
        json.field("pages", step.pages);
        json.field("bytes", step.pages * step.memory->page_bytes());
    }

  private:
    struct Step {
        PagedMemory const* memory;
        std::size_t pages;
    };

    void add_steps(PagedMemory const& memory) {
        for (std::size_t pages = 1; pages <= memory.pages(); pages *= 2) {
            steps_.emplace(&memory, pages);
            if (pages >= 2 && pages / 2 * 3 <= memory.pages()) steps_.emplace(&memory, pages / 2 * 3);
        }
    }

    Options options_;
    CoreId core_{};
    NodeVector<PagedMemory> memories_; // of each size that there is
    NodeVector<Skipped> skipped_;
    NodeVector<Step> steps_;
};

constexpr auto tlb_benchmark =
    benchmark<TlbExperiment, tlb_schema>({.summary = "ns per load by how many pages they go to, for each size of page",
                                          .notes = "Example: bench tlb --cores 0 --max 64Mi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, tlb_benchmark);

} // namespace
} // namespace mxk::bench
