// `bench fork-join`: programs that fork and join, or loop, on all cores of a set: what one operation takes, by our
// forks, by those of others, and by a program that forks nothing, which the others are compared with. The runtimes take
// turns in each round. What a runtime is: forks.hpp, fork_peer.hpp; the programs: fork_program.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bench/fork/fork_peer.hpp"
#include "bench/frame/grid.hpp"
#include "tasks/fork/entry.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

Result<ForkOutcome> run_serial(ForkProgram& program, std::span<CoreId const> cores) {
    ForkOutcome outcome;
    forks::in_task(cores[0], [&] { outcome.elapsed = program.time(SerialForks{}); });
    return outcome;
}

std::array<std::uint64_t, 3> count_steals(std::span<CoreId const> cores) {
    std::array<std::uint64_t, 3> counts{};
    for (CoreId const core : cores)
        for (std::size_t at = 0; at < counts.size(); ++at)
            counts[at] += static_cast<ForkCore*>(workers::of(core).forks())->steals(static_cast<StealDistance>(at));
    return counts;
}

Result<ForkOutcome> run_on_cores(ForkProgram& program, std::span<CoreId const> cores) {
    ForkOutcome outcome;
    auto const before = count_steals(cores);
    ForkCore::limit_to(cores);
    forks::in_task(cores[0],
                   [&] { forks::enter([&](ForkCore& core) { outcome.elapsed = program.time(CoreForks(core)); }); });
    ForkCore::limit_to({});
    outcome.steals = count_steals(cores);
    for (std::size_t at = 0; at < before.size(); ++at) (*outcome.steals)[at] -= before[at];
    return outcome;
}

constexpr ForkPeer serial{.name = "serial", .run = &run_serial};
MXK_REGISTER(mxk_fork_peers, ForkPeer, serial);
constexpr ForkPeer mxk_forks{.name = "mxk", .run = &run_on_cores};
MXK_REGISTER(mxk_fork_peers, ForkPeer, mxk_forks);

struct ForkJoinOptions : CoreSetOptions, ForkSizes {
    constexpr ForkJoinOptions()
        : CoreSetOptions{{.repeat = 5, .warm_up = 1}, {}} {}
    NameSet<ForkProgramName> programs{};
    KindNames<ForkPeer> runtimes{};
};
constexpr auto fork_join_schema = console::schema<ForkJoinOptions>(
    console::option<&ForkJoinOptions::programs>("program", "with commas between (none given: all)"),
    console::option<&ForkJoinOptions::runtimes>("runtime", "who forks, with commas between (none given: all)"),
    core_set_option::cores,
    console::option<&ForkJoinOptions::fib>("fib", "which Fibonacci number", console::between(2, 50)),
    console::option<&ForkJoinOptions::queens>("queens", "on a board of so many rows", console::between(1, max_queens)),
    console::option<&ForkJoinOptions::matrix>("matrix", "rows and columns of a matrix: a power of two",
                                              console::between(matrix_block, 4096)),
    console::option<&ForkJoinOptions::keys>("keys", "that are sorted", console::between(1, 1U << 28)),
    console::option<&ForkJoinOptions::loop_ms>("loop-ms", "milliseconds of a loop on one core",
                                               console::between(1, 10'000)),
    console::option<&ForkJoinOptions::rows>("rows", "of the sparse matrix", console::between(1, 1U << 22)),
    run_option::all);

// What --OPTION says of the program; none: it has one size.
std::optional<std::uint32_t> size_for(ForkProgramName name, ForkSizes const& sizes) {
    switch (name) {
    case ForkProgramName::Fib: return sizes.fib;
    case ForkProgramName::Queens: return sizes.queens;
    case ForkProgramName::Matrix: return sizes.matrix;
    case ForkProgramName::Sort: return sizes.keys;
    case ForkProgramName::Loop10:
    case ForkProgramName::Loop100:
    case ForkProgramName::Loop1000: return sizes.loop_ms;
    case ForkProgramName::Spmv: return sizes.rows;
    case ForkProgramName::TreeT1:
    case ForkProgramName::TreeT3: break;
    }
    return std::nullopt;
}

class ForkJoinExperiment final : public GridExperiment {
  public:
    using Options = ForkJoinOptions;
    static constexpr std::string_view name = "fork-join";

    explicit ForkJoinExperiment(Options const& options)
        : options_(options) {
        options_.programs = or_all(options.programs);
    }
    Result<void> set_up() override {
        if ((options_.matrix & (options_.matrix - 1)) != 0)
            return Error::of("--matrix: expected a power of two, got {}", options_.matrix);
        // Serial first, which the others are compared with.
        runtimes_ = MXK_TRY(options_.runtimes.kinds([](auto visit) {
            visit(serial);
            visit(mxk_forks);
            console::for_each_by_name(registered_fork_peers(), visit,
                                      [](ForkPeer const& it) { return &it != &serial && &it != &mxk_forks; });
        }));
        add(Axis::of("runtime", 8, runtimes_.span()));
        add(Axis::chosen("program", 9, options_.programs));
        MXK_TRY(add_cores(options_.cores));
        nest_first_axis_last();
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }
    [[nodiscard]] bool continues_after_failure() const override { return true; }
    [[nodiscard]] bool lists_findings() const override { return false; } // print_details() has them on a line
    [[nodiscard]] std::string_view failure() const override {
        return "a program's result was wrong, or its run failed";
    }

    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const override {
        std::string_view const missing = runtimes_[point[0]]->missing;
        return missing.empty() ? std::nullopt : std::optional(Error(missing));
    }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        ForkProgramName const its_name = program_at(point);
        std::uint64_t& steps = loop_steps_[static_cast<std::size_t>(its_name)];
        if (std::uint64_t const time = ForkProgram::loop_nanoseconds(its_name); time != 0 && steps == 0)
            steps = ForkProgram::steps_for(time);
        auto const its_cores = cores(point);
        auto program = MXK_TRY(ForkProgram::create(its_name, options_, steps, workers::of(its_cores[0]).node()));
        ForkOutcome const outcome = MXK_TRY(runtimes_[point[0]]->run(program, its_cores));
        Sample& sample = samples[0];
        sample.operations = program.operations();
        sample.value = static_cast<double>(raw(outcome.elapsed)) / static_cast<double>(sample.operations);
        sample.verified = program.is_right();
        if (outcome.steals)
            for (std::size_t at = 0; at < steal_fields.size(); ++at)
                sample.findings.add(steal_fields[at], static_cast<double>((*outcome.steals)[at]));
        return progress.check();
    }

    void print_head(TextSink& out) const override {
        format(out, "fork-join: {} runs per row\n", options_.repeat.text().view());
        for (ForkPeer const* const runtime : runtimes_) {
            if (runtime->print_library == nullptr) continue;
            format(out, "{}: ", runtime->name);
            runtime->print_library(out);
            out.write("\n");
        }
    }
    void print_details(TextSink& out, Row const& row) const override {
        auto const steals = row.findings.entries();
        if (steals.empty()) return;
        format(out, "  stolen: {:.0} in the same last cache, {:.0} in the same node, {:.0} beyond\n", steals[0].value,
               steals[1].value, steals[2].value);
    }
    // How much faster than the serial program the others are.
    void conclude(TextSink& out, std::span<Row const> rows) override {
        auto const base = place_of(0, serial.name);
        if (!base || runtimes_.size() < 2) return;
        for (Row const& first : rows) {
            Point point = point_of(first);
            if (point[0] != *base || first.value.n == 0) continue;
            std::string_view separator;
            for (point[0] = 0; point[0] < runtimes_.size(); ++point[0]) {
                Row const& row = rows[configuration_of(point)];
                if (point[0] == *base || row.value.n == 0 || row.value.median <= 0) continue;
                if (separator.empty()) {
                    print_place(out, point, 1);
                    separator = ": speed-up over serial: ";
                }
                format(out, "{}{} {:.2}", separator, runtimes_[point[0]]->name, first.value.median / row.value.median);
                separator = ", ";
            }
            if (!separator.empty()) out.write("\n");
        }
    }

  private:
    static constexpr std::array<std::string_view, 3> steal_fields{"steals_cache", "steals_node", "steals_beyond"};

    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const override {
        GridExperiment::write_value(json, axis, at);
        if (axis != 0) return;
        FixedText<96> library;
        if (runtimes_[at]->print_library != nullptr) runtimes_[at]->print_library(library);
        json.field("library", library.view().empty() ? "none" : library.view());
    }
    void write_options(JsonWriter& json, Point const& point) const override {
        if (auto const size = size_for(program_at(point), options_)) json.field("size", *size);
    }
    [[nodiscard]] ForkProgramName program_at(Point const& point) const {
        return chosen_at(options_.programs, point[1]);
    }

    Options options_;
    KindList<ForkPeer> runtimes_;
    std::array<std::uint64_t, value_names(ForkProgramName{}).size()> loop_steps_{}; // by program; 0: none, or not known
};
constexpr auto fork_join_benchmark = benchmark<ForkJoinExperiment, fork_join_schema>(
    {.summary = "cycles of programs that fork and join, on sets of cores: MXK's forks, others', and none",
     .notes =
         "An operation: fib, a fork and its join; tree-t1, tree-t3 (Unbalanced Tree Search), a node; queens, a board;\n"
         "matrix, a product of blocks of 32 by 32; sort, a key; loop-N, an iteration of N ns; spmv (sparse matrix by\n"
         "vector), an entry.\n"
         "Example: bench fork-join --program fib,sort --cores 1,2 --json\n",
     .more_help = [](TextSink& out) {
         print_kinds<ForkPeer>(out, "Runtimes", 8, [&out](ForkPeer const& runtime) {
             runtime.print_library != nullptr ? runtime.print_library(out)
                                              : out.write(&runtime == &serial ? "no forks" : "MXK's forks");
         });
     }});
MXK_REGISTER(mxk_commands, console::Command, fork_join_benchmark);

} // namespace
} // namespace mxk::bench
