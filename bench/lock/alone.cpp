// `bench lock alone`: cycles of an acquisition and a release of a lock that one core uses, by locks. All sections of a
// run are one call (LockForm::repeat), in which the lock's functions are inlined as they would be at a caller's.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "bench/lock/contended_experiment.hpp"

namespace mxk::bench {
namespace {

struct AloneOptions : LockOptions {
    constexpr AloneOptions() { repeat = 9; }
    std::uint64_t operations = 1'000'000;
};

constexpr auto alone_schema = console::schema<AloneOptions>(
    lock_option::locks, console::option<&AloneOptions::cores>("cores", "of which the first one is used (none: core 0)"),
    lock_option::fabric,
    console::option<&AloneOptions::operations>("ops", "per run", console::between(1, 4'000'000'000)), run_option::all);

class AloneBench final : public GridExperiment {
  public:
    using Options = AloneOptions;
    static constexpr std::string_view name = "lock alone";

    explicit AloneBench(Options const& options)
        : options_(options) {}
    Result<void> set_up() override {
        locks_ = MXK_TRY(chosen_locks(options_));
        add(Axis::of("lock", 18, locks_.span()));
        core_ = MXK_TRY(CoreSetList::create(options_.cores)).cores(0)[0];
        return {};
    }

    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::optional<Error> unsupported_at(Point const& point) const override {
        return why_unsupported(options_, *locks_[point[0]], false);
    }

    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        locks::LockKind const& kind = *locks_[point[0]];
        auto const topology = MXK_TRY(locks::StoredTopology::of_machine());
        std::span<CoreId const> const cores(&core_, 1);
        locks::LockTopology const view = topology.view();
        LockSpace space(view, MXK_TRY(emulated_for(options_, view, 2)), core_, locks::default_passes);
        auto const& form = form_on(options_.fabric, kind);
        auto const timed = MXK_TRY(LocksInUse::create(form, space, cores));
        auto const& counting_form = counting_form_on(options_.fabric, kind);
        auto const counting = MXK_TRY(LocksInUse::create(counting_form, space, cores));
        Cycles elapsed{};
        bool is_right = true;
        MXK_TRY(run_team(space, cores, progress, [&](TaskTeam&) {
            elapsed = time(timed.used(0, 0), progress);
            is_right = finds_it_free(counting.used(0, 0));
        }));
        samples[0] = {.value = static_cast<double>(raw(elapsed)) / static_cast<double>(options_.operations),
                      .operations = options_.operations,
                      .verified = is_right};
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return "a lock that nobody has was not free, or was not counted once for each section";
    }

    void print_head(TextSink& out) const override {
        format(out, "lock alone: fabric {}, {} sections on core {}; {} runs per row\n", name_of(options_.fabric),
               options_.operations, core_, options_.repeat.text().view());
        print_libraries(out, locks_);
    }

  private:
    void write_options(JsonWriter& json, Point const& point) const override {
        write_lock_settings(json, options_, *locks_[point[0]]);
        json.begin_array("core_ids");
        json.element(core_);
        json.end_array();
    }
    [[nodiscard]] Cycles time(UsedLock const& lock, Progress const& progress) const {
        constexpr std::uint64_t at_once = 1'000'000;
        lock.repeat(std::min<std::uint64_t>(options_.operations, 10'000));
        Cycles const start = clock::timestamp();
        for (std::uint64_t left = options_.operations; left != 0 && !progress.interrupted();) {
            std::uint64_t const sections = std::min(left, at_once);
            lock.repeat(sections);
            left -= sections;
        }
        return clock::timestamp() - start;
    }
    // Forms that do not count say so by counting nothing.
    static bool finds_it_free(UsedLock const& lock) {
        constexpr std::uint64_t sections = 1000;
        locks::LockCounts const before = lock.counts();
        lock.repeat(sections);
        locks::LockCounts const counts = lock_bodies::since(before, lock.counts());
        return counts.delayed == 0 && (counts.immediate == sections || counts.immediate == 0);
    }

    Options const& options_;
    LockList locks_;
    CoreId core_{};
};
constexpr auto alone_benchmark = benchmark<AloneBench, alone_schema>(
    {.summary = "cycles of an acquisition and a release of a lock that one core uses",
     .notes = "Example: bench lock alone --lock tas,ticket,mcs,clh --repeat 15 --json\n",
     .parent = "bench lock",
     .more_help = &print_lock_kinds});
MXK_REGISTER(mxk_commands, console::Command, alone_benchmark);

} // namespace
} // namespace mxk::bench
