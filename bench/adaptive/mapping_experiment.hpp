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
#include "bench/adaptive/owner_revocation.hpp"
#include "bench/adaptive/revocation.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/sync/adaptive/dynamic_lock.hpp"
#include "spaces/cascade_locking.hpp"

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
        format(out, "{:<14} ", "locking");
        core_sets_.print_heading(out);
        format(out, " {:>6}", "pages");
    }
    void print_label(TextSink& out, Row const& row) const final {
        format(out, "{:<14} ", name_of(locking(row.configuration)));
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

    // One run. Runs: locked<Locking>(run) and by_messages(run, owners), each a Result<Sample>.
    template <typename Runs>
    Result<void> run_by_locking(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
        ProgressCounter nothing;
        progress.phase("rounds", 1, nothing);
        samples[0] = MXK_TRY(run_once<Runs>(configuration, progress));
        return {};
    }

  private:
    template <typename Runs> Result<Sample> run_once(std::size_t configuration, Progress& progress) {
        using Cascade = mapping::CascadeLocking<SpinLock>;
        MappingRun run{core_sets_.cores(set_of(configuration)), pages(configuration), options_.rounds, progress};
        switch (locking(configuration)) {
        case MappingLocking::None: return Runs::template locked<mapping::FineLocking<NoLock>>(run);
        case MappingLocking::Coarse: return Runs::template locked<mapping::CoarseLocking<SpinLock>>(run);
        case MappingLocking::Fine: return Runs::template locked<mapping::FineLocking<SpinLock>>(run);
        case MappingLocking::Dynamic: return Runs::template locked<mapping::FineLocking<DynamicLock<SpinLock>>>(run);
        case MappingLocking::Message: return Runs::by_messages(run, Owners::Each);
        case MappingLocking::MessageOne: return Runs::by_messages(run, Owners::One);
        case MappingLocking::Cascade: break;
        case MappingLocking::CascadeCoarse: run.granularity = Granularity::Coarse; break;
        case MappingLocking::CascadeFine: run.granularity = Granularity::Fine; break;
        }
        return Runs::template locked<Cascade>(run);
    }

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
