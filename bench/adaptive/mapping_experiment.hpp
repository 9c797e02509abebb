// What the benchmarks of the mapping database have in common: a configuration is a locking, on a set of cores, with so
// many pages; the unit is cycles, and what an operation took besides are findings.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/no_lock.hpp"
#include "base/spin_lock.hpp"
#include "bench/adaptive/mapping_options.hpp"
#include "bench/adaptive/revocation.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"

namespace mxk::bench {

class MappingExperiment : public Experiment {
  public:
    [[nodiscard]] Unit unit() const final { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const final {
        return locking_count_ * core_sets_.size() * options_.pages.values().size();
    }
    [[nodiscard]] bool is_measured_as_a_whole() const final { return true; }
    [[nodiscard]] std::size_t cores_of(Row const& row) const final {
        return core_sets_.cores(set_of(row.configuration)).size();
    }
    [[nodiscard]] std::string_view failure() const final {
        return "a core had a right that was withdrawn, or had not one that it should have";
    }

    void print_label_heading(TextSink& out) const final {
        format(out, "{:<8} ", "locking");
        core_sets_.print_heading(out);
        format(out, " {:>6}", "pages");
    }
    void print_label(TextSink& out, Row const& row) const final {
        format(out, "{:<8} ", name_of(locking(row.configuration)));
        core_sets_.print(out, set_of(row.configuration));
        format(out, " {:>6}", pages(row.configuration));
    }
    void print_title(TextSink& out, Row const& row) const final {
        format(out, "{}, {} cores, {} pages", name_of(locking(row.configuration)),
               core_sets_.label(set_of(row.configuration)), pages(row.configuration));
    }
    void write_settings(JsonWriter& json, Row const& row) const final {
        json.field("locking", name_of(locking(row.configuration)));
        json.field("pages", pages(row.configuration));
        json.field("rounds", options_.rounds);
        core_sets_.write(json, set_of(row.configuration));
    }

  protected:
    MappingExperiment(MappingOptions const& options, CoreSetList core_sets)
        : options_(options)
        , core_sets_(std::move(core_sets)) {
        for (auto const& [locking, locking_name] : value_names(MappingLocking{}))
            if (options.lockings.empty() || options.lockings.has(locking)) lockings_[locking_count_++] = locking;
    }
    MappingExperiment(MappingExperiment&&) = default;
    MappingExperiment& operator=(MappingExperiment&&) = default;
    ~MappingExperiment() = default;

    [[nodiscard]] MappingOptions const& options() const { return options_; }

    // One run; `run_with` is called with an object of the locking's type, which says nothing else.
    template <typename RunWith>
    Result<void> run_by_locking(std::size_t configuration, std::span<Sample> samples, Progress& progress,
                                RunWith run_with) {
        MappingRun const run{core_sets_.cores(set_of(configuration)), pages(configuration), options_.rounds, progress};
        ProgressCounter nothing;
        progress.phase("rounds", 1, nothing);
        switch (locking(configuration)) {
        case MappingLocking::None: samples[0] = MXK_TRY(run_with(mapping::FineLocking<NoLock>{}, run)); break;
        case MappingLocking::Coarse: samples[0] = MXK_TRY(run_with(mapping::CoarseLocking<SpinLock>{}, run)); break;
        case MappingLocking::Dynamic:
            samples[0] = MXK_TRY(run_with(mapping::FineLocking<DynamicLock<SpinLock>>{}, run));
            break;
        case MappingLocking::Fine: samples[0] = MXK_TRY(run_with(mapping::FineLocking<SpinLock>{}, run)); break;
        }
        return {};
    }

  private:
    // One locking after the other, each on all sets, each with all counts of pages.
    [[nodiscard]] std::size_t set_of(std::size_t configuration) const {
        return configuration / options_.pages.values().size() % core_sets_.size();
    }
    [[nodiscard]] std::uint32_t pages(std::size_t configuration) const {
        return options_.pages.values()[configuration % options_.pages.values().size()];
    }
    [[nodiscard]] MappingLocking locking(std::size_t configuration) const {
        return lockings_[configuration / options_.pages.values().size() / core_sets_.size()];
    }

    MappingOptions options_;
    CoreSetList core_sets_;
    std::array<MappingLocking, value_names(MappingLocking{}).size()> lockings_{};
    std::size_t locking_count_ = 0;
};

} // namespace mxk::bench
