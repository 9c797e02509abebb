#include "bench/rcu/list_figure.hpp"

#include <algorithm>
#include <array>

#include "bench/frame/grid.hpp"
#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {
namespace {

constexpr double perfect = 0.95; // of the speed-up that as many cores could give

constexpr std::array claims{
    Claim{.statement = "A-RCU is the best, next to no protection",
          .bound = Bound::from(1),
          .left = {.of = "a-rcu"},
          .right = {.of = "podzimek-rcu,spinlock"}},
    Claim{.statement = "A-RCU scales perfectly",
          .bound = Bound::from(perfect),
          .left = {.of = "a-rcu", .finding = "scaling"},
          .takes_others = true},
    Claim{.statement = "Podzimek's RCU scales perfectly",
          .bound = Bound::from(perfect),
          .left = {.of = "podzimek-rcu", .finding = "scaling"},
          .takes_others = true},
    Claim{.statement = "a spin lock: the more cores, the fewer walks in all",
          .bound = Bound::up_to(1),
          .left = {.of = "spinlock", .finding = "all_by_one_core"},
          .on = Claim::On::LastSet,
          .takes_others = true},
    Claim{.statement = "on one core Podzimek's RCU costs about as much as the spin lock",
          .bound = Bound::between(0.67, 1.5),
          .left = {.of = "podzimek-rcu"},
          .right = {.of = "spinlock"},
          .on = Claim::On::FirstSet},
    Claim{.statement = "on one core A-RCU costs markedly less than both",
          .bound = Bound::from(1.2),
          .left = {.of = "a-rcu"},
          .right = {.of = "podzimek-rcu,spinlock"},
          .on = Claim::On::FirstSet},
};

// The frame runs each configuration once; a run is as many as it takes.
class ListFigure final : public GridExperiment {
  public:
    using Options = ListFigureOptions;
    static constexpr std::string_view name = "list";

    explicit ListFigure(Options const& options)
        : options_(options) {}
    Result<void> set_up() override {
        for (std::size_t key = listed_keys; key > 0; --key) list_.push_front(items_[key - 1], key);
        add(Axis::of("kind", 12, figure_kinds()));
        MXK_TRY(add_cores(options_.cores));
        add(claims);
        return {};
    }
    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool is_measured_as_a_whole() const override { return true; }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        constexpr std::size_t min_runs = 10;
        constexpr double known_to = 0.01;
        ReadRun const run{.cores = cores(point),
                          .time = clock::to_cycles(Nanoseconds{std::uint64_t{options_.milliseconds} * 1'000'000}),
                          .body = ReadBody::Walk,
                          .progress = progress,
                          .list = &list_};
        std::array<double, max_figure_runs> values{};
        std::size_t runs = 0;
        double half_interval = 1; // by the mean
        Sample& sample = samples[0];
        sample.verified = true;
        while (runs < options_.max_runs && (runs < min_runs || half_interval > known_to)) {
            Sample const one = MXK_TRY(figure_kinds()[point[0]].run(run));
            values[runs++] = one.value;
            sample.operations += one.operations;
            sample.verified = sample.verified && one.verified;
            auto sorted = values;
            Summary const all = summarise(std::span(sorted).first(runs));
            sample.value = all.mean;
            half_interval = (all.confidence_high - all.confidence_low) / 2 / all.mean;
        }
        auto const count = static_cast<double>(run.cores.size());
        double& first = first_[point[0]]; // measured before the other sets of cores
        if (first == 0) first = sample.value / count;
        sample.findings.add("runs", static_cast<double>(runs));
        sample.findings.add("interval_pct", half_interval * 100);
        sample.findings.add("ns_a_walk", 1e9 * count / sample.value);
        sample.findings.add("scaling", sample.value / count / first);
        sample.findings.add("all_by_one_core", sample.value / first);
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a thread made no walk or met other items, the lock was not held once for each, or somebody was left "
               "inside";
    }
    void print_head(TextSink& out) const override {
        format(out, "list --figure: walks of {} items, {} ms; up to {} runs per row, until the mean is known to 1 %\n",
               listed_keys, options_.milliseconds, options_.max_runs);
    }

  private:
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        json.field("figure", true);
        json.field("keys", listed_keys);
    }

    Options options_;
    std::array<ListItem, listed_keys> items_;
    SortedList list_;
    std::array<double, 4> first_{}; // of each kind: walks of a core per second with the first set
};

} // namespace

console::Outcome run_list_figure(console::Invocation& invocation, ListFigureOptions const& options) {
    return run_benchmark<ListFigure>(invocation, options);
}

} // namespace mxk::bench
