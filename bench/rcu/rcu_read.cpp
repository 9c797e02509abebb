// `bench rcu-read`: empty read sections per second, by ways to protect a reader (read_kind.hpp). A configuration is a
// way on a set of cores.
#include <algorithm>
#include <array>

#include "bench/frame/grid.hpp"
#include "bench/frame/names.hpp"
#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {

// As they are typed and as they stand in results.
constexpr auto value_names(ReadBody) {
    return std::array{console::NamedValue{ReadBody::Empty, "empty"}, console::NamedValue{ReadBody::Pointer, "pointer"}};
}

namespace {

struct RcuReadOptions : CoreSetOptions {
    constexpr RcuReadOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}
    KindNames<ReadKind> kinds{};
    ReadBody body = ReadBody::Empty;
    std::uint32_t milliseconds = 20;
};

constexpr auto rcu_read_schema = console::schema<RcuReadOptions>(
    console::option<&RcuReadOptions::kinds>("kind", "ways to protect a reader, with commas between (none given: all)"),
    core_set_option::cores,
    console::option<&RcuReadOptions::body>("body", "of a section: nothing, or a pointer that is followed"),
    console::option<&RcuReadOptions::milliseconds>("ms", "milliseconds of a run", console::between(1, 10'000)),
    run_option::all);

class RcuReadExperiment final : public GridExperiment {
  public:
    using Options = RcuReadOptions;
    static constexpr std::string_view name = "rcu-read";

    explicit RcuReadExperiment(Options const& options)
        : options_(options) {}
    Result<void> set_up() override {
        auto const chosen = MXK_TRY(options_.kinds.kinds());
        std::sort(chosen.begin(), chosen.end(), [](auto const* a, auto const* b) { return a->name < b->name; });
        NodeId const here = Worker::current().node();
        kinds_ = MXK_TRY(KindList<ReadKind>::create(chosen.size(), here));
        skipped_ = MXK_TRY(NodeVector<Skipped>::create(chosen.size(), here));
        for (ReadKind const* const kind : chosen) {
            if (kind->missing.empty())
                kinds_.emplace(kind);
            else
                skipped_.emplace(kind->name, Error(kind->missing));
        }
        add(Axis::of("kind", 22, kinds_.span()));
        return add_cores(options_.cores);
    }

    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }
    [[nodiscard]] std::span<Skipped const> skipped() const override { return skipped_.span(); }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        Cycles const time = clock::to_cycles(Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000});
        samples[0] = MXK_TRY(
            kinds_[point[0]]->run({.cores = cores(point), .time = time, .body = options_.body, .progress = progress}));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a core made no section, a lock counted others than were made, or somebody was left inside";
    }

    void print_head(TextSink& out) const override {
        format(out, "rcu-read: sections with body {}, {} ms; {} runs per row\n", name_of(options_.body),
               options_.milliseconds, options_.repeat.text().view());
        for (ReadKind const* const it : kinds_)
            if (!it->library.empty()) format(out, "{}: {}\n", it->name, it->library);
    }

  private:
    void write_options(JsonWriter& json, Point const& point) const override {
        std::string_view const library = kinds_[point[0]]->library;
        json.field("library", library.empty() ? std::string_view("none") : library);
        json.field("body", name_of(options_.body));
    }
    Options options_;
    KindList<ReadKind> kinds_;
    NodeVector<Skipped> skipped_;
};
constexpr auto rcu_read_benchmark = benchmark<RcuReadExperiment, rcu_read_schema>(
    {.summary = "empty read sections per second: of tasks, of threads, and with locks instead",
     .notes = "Example: bench rcu-read --kind qsbr,rwlock --cores 1,2 --json\n",
     .more_help = [](TextSink& out) {
         print_kinds<ReadKind>(out, "Kinds", 22, [&](ReadKind const& kind) { out.write(kind.summary); });
     }});
MXK_REGISTER(mxk_commands, console::Command, rcu_read_benchmark);

} // namespace
} // namespace mxk::bench
