// Look-ups of single keys while a table doubles, and while nothing else goes on: how long each takes. On each core of a
// set one task looks a key up, appends itself to its core's queue, looks the next one up, and so on (a closed loop). A
// look-up's latency is from the moment its task was appended until it has its result: what other tasks take in between,
// those of the resize among them, is in it.
//
// A run: the table is filled by all cores; the look-ups begin; the table doubles (growing); nothing else goes on for as
// long as that took, or for a minimum (quiet); all of the content is looked up once. So the quiet phase is that of the
// table that has doubled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/histogram.hpp"
#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/operation_start.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/partition/owner.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

struct ResizeRun {
    std::span<CoreId const> cores;
    std::size_t keys;
    double load;
    Nanoseconds min_time; // of the quiet phase
    std::uint64_t seed;
    Progress& progress;
};

struct LookUpPhase {
    Durations latency{}; // nanoseconds
    Cycles time{};
    std::uint64_t wrong = 0; // look-ups with another result than the key's value
};

struct ResizeOutcome {
    LookUpPhase quiet;
    LookUpPhase growing;
    std::size_t buckets_before = 0;
    std::size_t buckets_after = 0;
    bool has_doubled = false;
    bool has_content = false; // afterwards: each key with its value, and no others
};

// Look-ups whose tasks are appended from then on, and before then, are measured.
struct alignas(cache_line_bytes) LookUpWindow {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    // Time stamps. relaxed, both: each says all there is to know.
    std::atomic<std::uint64_t> from{never};
    std::atomic<std::uint64_t> until{never};
};

// A table that is doubled.
class DoublingTable {
  public:
    DoublingTable() = default;
    virtual ~DoublingTable() = default;
    DoublingTable(DoublingTable const&) = delete;
    DoublingTable& operator=(DoublingTable const&) = delete;

    // Any core, in a task. False: the key is there, or there is no memory.
    virtual bool insert(std::uint64_t key, std::uint64_t value) = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> find(std::uint64_t key) const = 0;
    // LookUpTask::look_up() of the table's own type: what is measured is find() alone.
    [[nodiscard]] virtual Task::Body look_up() const = 0;
    // Any core while nobody inserts.
    [[nodiscard]] virtual std::size_t buckets() const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    // About how much memory the doubling asks for.
    [[nodiscard]] virtual std::size_t bytes_to_double() const = 0;
    // Returns when no resize is under way. The console's task, as the next one. Errors: no memory.
    virtual Result<void> settle() = 0;
    // Returns when there are twice as many buckets. Errors: no memory, Ctrl-C.
    virtual Result<void> double_now(Progress& progress) = 0;
    // Where the table counts them.
    [[nodiscard]] virtual std::optional<std::uint64_t> resizes() const { return std::nullopt; }
};

// One core's look-ups of keys 1 to `keys`.
class LookUpTask : public Task {
  public:
    // `left`: counts at home those that have not ended.
    LookUpTask(DoublingTable const& table, LookUpWindow const& window, std::size_t keys, std::uint64_t seed,
               std::size_t& left, CoreId home_core)
        : Task(table.look_up(), home_core)
        , table_(table)
        , window_(window)
        , keys_(keys)
        , random_(seed)
        , left_(left) {}

    template <typename ItsTable> static void look_up(Worker& worker, Task& task) {
        auto& self = static_cast<LookUpTask&>(task);
        std::optional<std::uint64_t> const value = static_cast<ItsTable const&>(self.table_).ItsTable::find(self.key_);
        if (value != value_of(self.key_)) [[unlikely]]
            ++self.wrong_;
        std::uint64_t const now = raw(stamp_after_loads());
        std::uint64_t const until = self.window_.until.load(std::memory_order_relaxed);
        if (self.appended_ >= self.window_.from.load(std::memory_order_relaxed) && self.appended_ < until)
            self.latency_.add(now - self.appended_);
        self.done_.add(1);
        if (now < until) return self.go_on(worker);
        task.body = [](Worker&, Task& at_home) { --static_cast<LookUpTask&>(at_home).left_; };
        worker.append(task, task.home);
    }
    // On its core.
    void begin(Worker& worker) { go_on(worker); }

    // Any core: all so far.
    [[nodiscard]] std::size_t done() const { return done_.value(); }
    // When it has ended.
    [[nodiscard]] Histogram const& latency() const { return latency_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

  private:
    void go_on(Worker& worker) {
        key_ = 1 + random_.below(keys_);
        appended_ = raw(clock::timestamp());
        worker.append(*this);
    }

    DoublingTable const& table_;
    LookUpWindow const& window_;
    std::uint64_t keys_;
    Random random_;
    std::size_t& left_;
    std::uint64_t key_ = 0;
    std::uint64_t appended_ = 0;
    std::uint64_t wrong_ = 0;
    OwnerCounter done_;
    Histogram latency_;
};

// One run. Errors: no memory, Ctrl-C. The console's task, which waits meanwhile.
Result<ResizeOutcome> run_resize(DoublingTable& table, std::span<Owner const> owners, ResizeRun const& run);
template <typename Table> Result<ResizeOutcome> run_resize(ResizeRun const& run) {
    auto owners = MXK_TRY(NodeVector<Owner>::create(run.cores.size(), Worker::current().node()));
    for (CoreId const core : run.cores) owners.emplace(core, workers::of(core).node());
    Table table(MXK_TRY(Table::make(owners.span(), run.keys, run.load)));
    MXK_TRY(table.begin(owners.span()));
    return run_resize(table, owners.span(), run);
}

} // namespace mxk::bench
