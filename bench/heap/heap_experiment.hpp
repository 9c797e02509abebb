// What the benchmarks of allocators have in common: allocators, sets of cores and the points of a benchmark are its
// configurations.
//
//     struct LarsonBench {                                     // what a benchmark gives
//         using Options = LarsonOptions;                       // derived from HeapOptions
//         static constexpr std::string_view name = "heap larson";
//         static constexpr Unit unit = Unit::OperationsPerSecond;
//         explicit LarsonBench(Options const& options);
//         Result<void> prepare();                              // errors: what was typed cannot be
//         std::size_t points() const;
//         static constexpr std::size_t phases() { return 1; }
//         static constexpr std::span<HeapClaim const> claims();
//         bool is_judged(HeapClaim const& claim, std::size_t point) const;
//         Result<void> run(HeapRun const& run);                // fills in the samples
//         void print_head(TextSink& out) const;                // and heading, column and fields of a point
//         ...
//     };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/heap/heap_options.hpp"

namespace mxk::bench {

// What the program has in use while one allocator is measured: its own, where it is the only one.
class ResidentWatch {
  public:
    explicit ResidentWatch(bool is_wanted)
        : is_wanted_(is_wanted) {}

    // What is in use by now is not the allocator's. Counts the first time.
    void begin();
    // MiB. None: nobody counts, or several allocators are measured.
    [[nodiscard]] std::optional<double> now() const;
    [[nodiscard]] std::optional<double> max() const;

  private:
    bool is_wanted_;
    std::optional<std::size_t> before_;
};

// One run of one configuration.
struct HeapRun {
    HeapKind const& kind;
    std::span<CoreId const> cores;
    std::size_t point;
    std::span<Sample> samples; // one for each phase
    Progress& progress;
    ResidentWatch& resident;
};

// What is said of ours, compared with another one, or with the best of four; or that something it counts is 0.
struct HeapClaim {
    std::string_view statement;
    std::string_view other = {}; // empty: the best of `best_of`
    double factor = 0;
    bool is_time = false;          // ours takes no more than that times the other's time; else it does no less
    bool takes_others = false;     // needs several cores, and is judged on the last set; else on the first
    std::string_view is_zero = {}; // this finding, and nothing is compared
};
constexpr std::array<std::string_view, 4> best_of{"glibc", "mimalloc", "jemalloc", "tbbmalloc"};

inline Error no_memory_for_objects() {
    return Error("out of memory: the allocator has no room for the objects");
}

// What an allocator has counted since `before`, where it counts.
heap::HeapCounts counts_of(HeapKind const& kind);
void print_heap_head(TextSink& out, std::span<HeapKind const* const> kinds);
void write_heap_kind(JsonWriter& json, HeapKind const& kind);
// By the rows' medians: what `ours` takes, or does, by the other. `ours`, `others`: of one point.
struct HeapRatio {
    std::optional<double> worst{}; // of all points
    void add(HeapClaim const& claim, Row const& ours, std::span<Row const* const> others);
};
// The console's core alone, where nothing else was typed.
topology::CoreSets first_core_of(topology::CoreSets const& typed);

template <typename Bench> class HeapExperiment final : public Experiment {
  public:
    using Options = typename Bench::Options;
    static constexpr std::string_view name = Bench::name;

    static Result<HeapExperiment> create(Options const& options) {
        HeapExperiment experiment(options);
        MXK_TRY(experiment.bench_.prepare());
        auto& heaps = experiment.heaps_;
        heaps = options.heaps.empty() ? HeapNames::all() : options.heaps;
        experiment.resident_ = ResidentWatch(heaps.kinds().size() == 1);
        for (std::size_t i = 0; i < heaps.kinds().size(); ++i)
            if (HeapKind const& kind = *heaps.kinds()[i]; kind.open != nullptr)
                if (auto const opened = kind.open(); !opened) experiment.missing_[i] = opened.error();
        experiment.core_sets_ = MXK_TRY(CoreSetList::create(experiment.bench_.options.cores));
        for (HeapClaim const& claim : Bench::claims())
            if (experiment.can_judge(claim)) experiment.claims_[experiment.claim_count_++] = &claim;
        return experiment;
    }

    [[nodiscard]] Unit unit() const override { return Bench::unit; }
    [[nodiscard]] std::size_t configurations() const override {
        return kinds().size() * core_sets_.size() * bench_.points();
    }
    [[nodiscard]] std::size_t phases() const override { return Bench::phases(); }
    [[nodiscard]] bool has_speed_up() const override { return Bench::unit == Unit::OperationsPerSecond; }
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override {
        return configuration - set_of(configuration) * bench_.points() * kinds().size();
    }
    [[nodiscard]] std::size_t cores_of(Row const& row) const override { return cores(row.configuration).size(); }
    [[nodiscard]] bool continues_after_failure() const override { return true; }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t) const override {
        return missing_[kind_number(configuration)];
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        HeapRun const run{.kind = kind(configuration),
                          .cores = cores(configuration),
                          .point = point_of(configuration),
                          .samples = samples,
                          .progress = progress,
                          .resident = resident_};
        MXK_TRY(bench_.run(run));
        for (Sample const& sample : samples) is_wrong_ = is_wrong_ || !sample.verified;
        if (auto const max = resident_.max()) samples[0].findings.add("resident_max_mib", *max);
        return {};
    }
    void conclude(TextSink& /*out*/, std::span<Row const> /*rows*/) override {
        for (std::size_t i = 0; i < kinds().size(); ++i)
            if (!missing_[i] && kinds()[i]->close != nullptr) kinds()[i]->close();
    }
    [[nodiscard]] std::string_view failure() const override {
        return is_wrong_ ? "an object did not hold what was written to it" : std::string_view();
    }

    void print_head(TextSink& out) const override {
        format(out, "{}: ", name);
        bench_.print_head(out);
        format(out, "; {} runs per row\n", bench_.options.repeat);
        print_heap_head(out, kinds());
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<10} ", "heap");
        core_sets_.print_heading(out);
        bench_.print_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<10} ", kind(row.configuration).name);
        core_sets_.print(out, set_of(row.configuration));
        bench_.print_point(out, point_of(row.configuration), row.phase);
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, {} cores", kind(row.configuration).name, core_sets_.label(set_of(row.configuration)));
        bench_.print_point(out, point_of(row.configuration), row.phase);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        write_heap_kind(json, kind(row.configuration));
        bench_.write_point(json, point_of(row.configuration), row.phase);
        json.field("seed", bench_.options.seed);
        core_sets_.write(json, set_of(row.configuration));
    }

    [[nodiscard]] std::size_t conclusions() const override { return claim_count_; }
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override {
        HeapClaim const& claim = *claims_[at];
        Conclusion said{.statement = claim.statement};
        format(said.expected, "{} {:.2}", claim.is_time ? "<=" : ">=", claim.factor);
        if (!claim.is_zero.empty()) {
            said.expected = FixedText<64>("0");
            return zero_conclusion(claim, rows, said);
        }
        HeapRatio ratio;
        std::size_t const set = claim.takes_others ? core_sets_.size() - 1 : 0;
        for (std::size_t point = 0; point < bench_.points(); ++point) {
            if (!bench_.is_judged(claim, point)) continue;
            std::array<Row const*, best_of.size()> others{};
            std::size_t count = 0;
            auto const row_of = [&](std::string_view heap) {
                return &rows[((set * bench_.points() + point) * kinds().size() + *place_of(heap)) * Bench::phases()];
            };
            if (!claim.other.empty()) others[count++] = row_of(claim.other);
            if (claim.other.empty())
                for (std::string_view const heap : best_of) others[count++] = row_of(heap);
            ratio.add(claim, *row_of("mxk"), std::span(others).first(count));
        }
        if (!ratio.worst) {
            said.measured.append("not measured");
            return said;
        }
        std::size_t const judged_cores = core_sets_.cores(set).size();
        format(said.measured, "{:.2} ({} cores)", *ratio.worst, judged_cores);
        if (judged_cores > 1 || !claim.takes_others)
            said.holds = claim.is_time ? *ratio.worst <= claim.factor : *ratio.worst >= claim.factor;
        return said;
    }

  private:
    explicit HeapExperiment(Options const& options)
        : bench_(options) {}

    [[nodiscard]] std::span<HeapKind const* const> kinds() const { return heaps_.kinds(); }
    // The allocators are measured one right after the other, so that a machine that is slower for a while is so for all
    // that are compared.
    [[nodiscard]] std::size_t kind_number(std::size_t configuration) const { return configuration % kinds().size(); }
    [[nodiscard]] std::size_t point_of(std::size_t configuration) const {
        return configuration / kinds().size() % bench_.points();
    }
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const {
        return configuration / kinds().size() / bench_.points();
    }
    [[nodiscard]] HeapKind const& kind(std::size_t configuration) const { return *kinds()[kind_number(configuration)]; }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t configuration) const {
        return core_sets_.cores(set_of(configuration));
    }

    // Of an allocator that is measured.
    [[nodiscard]] std::optional<std::size_t> place_of(std::string_view heap) const {
        for (std::size_t i = 0; i < kinds().size(); ++i)
            if (kinds()[i]->name == heap && !missing_[i]) return i;
        return std::nullopt;
    }
    [[nodiscard]] bool can_judge(HeapClaim const& claim) const {
        if (!place_of("mxk")) return false;
        if (!claim.is_zero.empty()) return true;
        if (!claim.other.empty()) return place_of(claim.other).has_value();
        for (std::string_view const heap : best_of)
            if (!place_of(heap)) return false;
        return true;
    }

    Conclusion zero_conclusion(HeapClaim const& claim, std::span<Row const> rows, Conclusion& said) const {
        std::optional<double> sum;
        for (Row const& row : rows) {
            if (kind_number(row.configuration) != place_of("mxk") || row.value.n == 0) continue;
            if (!bench_.is_judged(claim, point_of(row.configuration))) continue;
            for (auto const& found : row.findings.entries())
                if (found.name == claim.is_zero) sum = sum.value_or(0) + found.value;
        }
        if (sum)
            format(said.measured, "{:.0}", *sum);
        else
            said.measured.append("not measured");
        if (sum) said.holds = *sum == 0;
        return said;
    }

    static constexpr std::size_t max_claims = 4;
    static_assert(Bench::claims().size() <= max_claims);

    Bench bench_;
    HeapNames heaps_;
    std::array<std::optional<Error>, HeapNames::capacity> missing_{};
    ResidentWatch resident_{false};
    bool is_wrong_ = false; // some object
    CoreSetList core_sets_;
    std::array<HeapClaim const*, max_claims> claims_{};
    std::size_t claim_count_ = 0;
};

} // namespace mxk::bench
