// What benchmarks of contended locks have in common: locks, sets of cores and the points of a sweep (sweeps.hpp) are
// its axes. A run makes the lock anew and times it; then it makes another one, which counts where the first one does
// not, and lets sections find out whether it keeps others out, for a quarter of the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bench/frame/grid.hpp"
#include "bench/lock/contended_run.hpp"
#include "bench/lock/lock_options.hpp"
#include "bench/lock/sweeps.hpp"
#include "bench/lock/turn_statistics.hpp"
#include "kernel/clock.hpp"
#include "kernel/topology/system_topology.hpp"
#include "locks/fabric/stored_topology.hpp"

namespace mxk::bench {

void print_lock_details(TextSink& out, Row const& row);
void print_operations(TextSink& out, Row const& row); // one-sided ones, where they were counted
// All but the lock's name.
void write_lock_settings(JsonWriter& json, LockOptions const& options, locks::LockKind const& kind);
void print_libraries(TextSink& out, LockList const& locks); // of peers

// Which lock a source says is the faster one, or takes fewer operations, and by how much.
struct LockClaim : Claim {
    LockFabric fabric = LockFabric::Emu;
    bool is_of_nodes = false; // says nothing where nodes are only made up, of one memory
};
inline constexpr std::string_view all_operations = "operations"; // of an iteration, and messages
constexpr Bound lock_bound(double low, double high) {            // a high of 0: as much as it is
    return high == 0 ? Bound{.low = low} : Bound{.low = low, .high = high};
}
constexpr LockClaim is_slower(std::string_view statement, LockFabric fabric, std::string_view slower,
                              std::string_view faster, double low = 1, double high = 0, bool is_of_nodes = false) {
    return {{.statement = statement,
             .bound = lock_bound(low, high),
             .left = {.of = faster},
             .right = {.of = slower},
             .on = Claim::On::LastSet},
            fabric,
            is_of_nodes};
}
constexpr LockClaim takes_more(std::string_view statement, std::string_view more, std::string_view fewer, double low) {
    return {{.statement = statement,
             .bound = {.low = low},
             .left = {.of = more, .finding = all_operations},
             .right = {.of = fewer, .finding = all_operations},
             .on = Claim::On::LastSet},
            LockFabric::Emu};
}

class ContendedExperiment : public GridExperiment {
  public:
    Result<void> set_up() final;
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final;
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const final;
    [[nodiscard]] Unit unit() const final { return Unit::OperationsPerSecond; }
    [[nodiscard]] bool is_measured_as_a_whole() const final { return true; }
    [[nodiscard]] bool lists_findings() const final { return false; }
    [[nodiscard]] std::string_view failure() const final {
        return "a lock let two in, or a worker has done nothing, or an increment was lost";
    }
    void print_head(TextSink& out) const final;
    void print_details(TextSink& out, Row const& row) const final { print_lock_details(out, row); }

  protected:
    static constexpr std::size_t lock_axis = 0;
    static constexpr std::size_t point_axis = 2;

    // `options` and `claims` live on. `look_every`: by default.
    ContendedExperiment(std::string_view name, LockOptions const& options, std::span<LockClaim const> claims,
                        std::uint32_t look_every)
        : name_(name)
        , options_(options)
        , claims_(claims)
        , default_look_every_(look_every) {}
    ~ContendedExperiment() = default;

    // Of the sweep.
    virtual void add_points() = 0;
    [[nodiscard]] virtual std::size_t words(std::size_t workers) const = 0;
    virtual Result<ContendedEnd> contend(ContendedRun const& run, std::size_t point) const = 0;
    [[nodiscard]] virtual bool keeps(ContendedEnd const& ended) const = 0;
    virtual void add_more(Findings& findings, std::size_t point, double iteration_seconds) const = 0;
    virtual void print_choice(TextSink& out) const = 0;
    virtual void write_point(JsonWriter& json, std::size_t point) const = 0;

    void write_options(JsonWriter& json, Point const& point) const final;
    [[nodiscard]] std::optional<double> value_of(Row const& row, ClaimSide const& side) const final;
    [[nodiscard]] bool can_tell(Claim const& claim, std::size_t cores) const final;

  private:
    std::string_view name_;
    LockOptions const& options_;
    std::span<LockClaim const> claims_;
    std::uint32_t default_look_every_;
    LockList locks_;
};

// Of a sweep, whose options are LockOptions, too.
template <typename Sweep> class ContendedBenchmark : public ContendedExperiment {
  public:
    static constexpr std::string_view name = Sweep::name;

  protected:
    ContendedBenchmark(LockOptions const& options, std::span<LockClaim const> claims, Sweep const& sweep,
                       std::uint32_t look_every = 1)
        : ContendedExperiment(name, options, claims, look_every)
        , sweep_(sweep) {}
    ~ContendedBenchmark() = default;

  private:
    void add_points() final {
        if (!Sweep::heading.empty()) add(Axis::of(Sweep::heading, Sweep::width, sweep_.values(), ""));
    }
    [[nodiscard]] std::size_t words(std::size_t workers) const final { return Sweep::words(workers); }
    Result<ContendedEnd> contend(ContendedRun const& run, std::size_t point) const final {
        auto const body = [&](auto& team, UsedLock const& lock, auto& words, auto& sections) {
            return sweep_.run(point, team, lock, run.timing, words, sections);
        };
        return run_contended(run, ContendedBodyOf(body));
    }
    [[nodiscard]] bool keeps(ContendedEnd const& ended) const final {
        return Sweep::is_right(ended.outcome, ended.words, ended.turns.size());
    }
    void add_more(Findings& findings, std::size_t point, double iteration_seconds) const final {
        sweep_.add_findings(point, iteration_seconds, findings);
    }
    void print_choice(TextSink& out) const final { sweep_.print_choice(out); }
    void write_point(JsonWriter& json, std::size_t point) const final { sweep_.write_point(json, point); }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const final {
        return Sweep::heading.empty() || point[point_axis] == sweep_.judged_point();
    }
    void print_remark(TextSink& out, Claim const& /*claim*/, std::size_t cores) const final {
        format(out, " ({}, {} cores)", Sweep::acronym, cores);
    }

    Sweep sweep_;
};

} // namespace mxk::bench
