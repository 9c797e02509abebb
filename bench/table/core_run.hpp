// One core's share of a phase: where its next instruction comes from, what it has counted, and who is told of
// its end. Every engine takes its instructions here and ends here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/histogram.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/workload/arrivals.hpp"
#include "bench/workload/host_pauses.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/operation_start.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What a core has taken, as the thesis has it with `--slices packed`: side by side with what the others have.
using TakenWord = std::atomic<std::size_t>;

// What all cores of a phase use.
struct PhaseRun {
    // Written once, if at all: no further instructions are to be taken.
    alignas(cache_line_bytes) std::atomic<bool> stopped{false};
    // The head of a shared queue, which all cores write: alone on its line.
    alignas(cache_line_bytes) std::atomic<std::size_t> head{0};
};

// Who takes a core's instructions.
enum class Consumers : std::uint8_t {
    AllCores,   // from one queue: each takes the next one of all there are
    OneCore,    // one after the other, without atomic operations
    CoreThreads // several threads of the core, which may interrupt each other
};

// On its core's node; only its core writes it, alone on its lines. `done` is also read by the console, to show it.
class alignas(cache_line_bytes) CoreRun {
  public:
    // `source`: what `takers` take from. `ended`: what goes to its home, the console's core, when this core's share has
    // ended. `taken`: where is counted what is taken by this core; null: on lines of its own.
    CoreRun(PhaseRun& phase, std::span<Instruction const> source, Consumers takers, Task& ended,
            TakenWord* taken = nullptr)
        : source_(source.data())
        , source_size_(source.size())
        , phase_(phase)
        , shared_(takers != Consumers::OneCore)
        , taken_(takers == Consumers::OneCore && taken != nullptr ? taken : &done_)
        , head_(takers == Consumers::AllCores ? &phase.head
                : taken != nullptr            ? taken
                                              : &own_head_)
        , ended_(ended) {}
    CoreRun(CoreRun const&) = delete; // taken_
    CoreRun& operator=(CoreRun const&) = delete;

    // This core's next instructions, up to so many; none when there are no more, or the phase was stopped. `max` > 0.
    // Inline: for each operation, and GCC makes it a call where a file has several engines.
    [[gnu::always_inline]] std::span<Instruction const> take(std::size_t max) {
        return shared_ ? take_from<true>(max) : take_from<false>(max);
    }
    // The next one, or null.
    [[gnu::always_inline]] Instruction const* take() {
        return shared_ ? take_one_from<true>() : take_one_from<false>();
    }
    // The place of an instruction that take() gave among all that this core takes from.
    [[nodiscard]] std::size_t place_of(Instruction const& instruction) const {
        return static_cast<std::size_t>(&instruction - source_);
    }

    // Operations on this core's region had another result than the expected one.
    void count_wrong(std::uint64_t operations = 1) { wrong_ += operations; }

    // One of its operations has gone on from this core's region to the next one.
    void count_travelled() { ++travelled_; }

    // So many finds were not sent to their keys' owners.
    void count_read_in_place(std::uint64_t finds) { read_in_place_ += finds; }

    // The instructions are run so often, from the first to the last. For takers of one core. Before the phase.
    void repeat(std::uint32_t passes) { passes_ = passes; }

    // Where the time from taking an instruction until its result is home is counted; null: it is not measured.
    void measure_latency(Histogram* latency) { latency_ = latency; }
    [[nodiscard]] Histogram* latency() const { return latency_; }
    // Where is noted what the host takes, in an open load; null: it is not.
    void note_pauses(HostPauses* pauses) { pauses_ = pauses; }
    [[nodiscard]] HostPauses* pauses() const { return pauses_; }

    // When each of the instructions that this core takes from is due; by default: when it is taken.
    void set_arrivals(Arrivals const& arrivals) { arrivals_ = arrivals; }
    [[nodiscard]] Arrivals const& arrivals() const { return arrivals_; }

    // As many tasks will say task_ended() on this core.
    void expect_tasks(std::size_t tasks) { tasks_out_ = tasks; }
    void task_ended() {
        if (--tasks_out_ == 0) end();
    }

    // The measured time of this core. Its instructions have had their effect when it ends. A task, or a thread, which
    // may not touch this any more then.
    void begin() {
        measured_part_begins();
        start_ = clock::timestamp();
        arrivals_.begin(start_);
        idle_ = idle_so_far();
        if (pauses_ != nullptr) pauses_->begin(start_);
    }
    void end() {
        end_ = clock::timestamp();
        if (idle_) idle_ = idle_so_far().value_or(*idle_) - *idle_;
        if (pauses_ != nullptr) pauses_->finish(end_);
        measured_part_ends();
        send_task(ended_, ended_.home);
    }

    // Any core; a moment old.
    [[nodiscard]] std::size_t done() const {
        return before_.load(std::memory_order_relaxed) + taken_->load(std::memory_order_relaxed);
    }
    // Once this core has ended.
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
    [[nodiscard]] std::uint64_t travelled() const { return travelled_; }
    [[nodiscard]] std::uint64_t read_in_place() const { return read_in_place_; }
    // Cycles in which it had no task, from its start to its end; nothing: threads have run.
    [[nodiscard]] std::optional<std::uint64_t> idle() const { return idle_; }
    [[nodiscard]] Cycles start_time() const { return start_; }
    [[nodiscard]] Cycles end_time() const { return end_; }

  private:
    // relaxed, all of these: only this core writes `done`, which the console only shows; the instructions were made
    // before the phase; the head gives each number once, whatever the order

    template <bool is_shared> [[gnu::always_inline]] std::span<Instruction const> take_from(std::size_t max) {
        std::size_t at = claim<is_shared>(max);
        if (!has(at)) [[unlikely]] {
            if (is_shared || !begin_pass()) return {};
            at = 0;
        }
        std::size_t const count = std::min(max, source_size_ - at);
        count_taken<is_shared>(at, count);
        return {source_ + at, count};
    }
    template <bool is_shared> [[gnu::always_inline]] Instruction const* take_one_from() {
        std::size_t at = claim<is_shared>(1);
        if (!has(at)) [[unlikely]] {
            if (is_shared ? !is_in_later_pass(at) : !begin_pass()) return nullptr;
            at = is_shared ? at % source_size_ : 0;
        }
        count_taken<is_shared>(at, 1);
        return source_ + at;
    }
    // From which place on so many instructions are this core's.
    template <bool is_shared> [[gnu::always_inline]] std::size_t claim(std::size_t count) {
        return is_shared ? head_->fetch_add(count, std::memory_order_relaxed) : taken_->load(std::memory_order_relaxed);
    }
    template <bool is_shared> [[gnu::always_inline]] void count_taken(std::size_t at, std::size_t count) {
        if constexpr (is_shared)
            done_.store(done_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
        else
            taken_->store(at + count, std::memory_order_relaxed);
    }
    static std::optional<std::uint64_t> idle_so_far() {
        if (!arch::runs_task()) return std::nullopt;
        return Worker::current().statistics().idle.value();
    }
    [[nodiscard]] bool has(std::size_t at) const {
        return at < source_size_ && !phase_.stopped.load(std::memory_order_relaxed);
    }

    // From the first instruction again, if that is to be.
    // Inline, as all of this: a call would cost each instruction that is taken some registers.
    [[gnu::always_inline]] bool begin_pass() {
        if (passes_ == 1 || source_size_ == 0 || phase_.stopped.load(std::memory_order_relaxed)) return false;
        --passes_;
        before_.store(before_.load(std::memory_order_relaxed) + source_size_, std::memory_order_relaxed);
        taken_->store(0, std::memory_order_relaxed);
        return true;
    }
    // The same where the head goes on counting.
    [[nodiscard]] bool is_in_later_pass(std::size_t at) const {
        return at < source_size_ * passes_ && !phase_.stopped.load(std::memory_order_relaxed);
    }

    Instruction const* source_;
    std::size_t source_size_;
    PhaseRun& phase_;
    bool shared_;
    std::atomic<std::size_t> done_{0};   // instructions taken; of several threads of a core about so many
    TakenWord* taken_;                   // done_, or where this is counted instead
    TakenWord* head_;                    // of what several take from
    TakenWord own_head_{0};              // of what several threads of this core take from
    std::uint32_t passes_ = 1;           // over the instructions, this one and those to come
    std::atomic<std::size_t> before_{0}; // instructions taken in passes before this one
    std::uint64_t wrong_ = 0;
    std::uint64_t travelled_ = 0;
    std::uint64_t read_in_place_ = 0;
    std::optional<std::uint64_t> idle_{};
    std::size_t tasks_out_ = 0; // tasks that have not ended yet
    Task& ended_;
    Histogram* latency_ = nullptr;
    HostPauses* pauses_ = nullptr;
    Arrivals arrivals_;
    Cycles start_{};
    Cycles end_{};
};
// The cores of a phase. A place in the run is not a core's number: the run may be on cores 1 and 3. What a task finds
// here for each operation nobody writes during the phase.
struct PhaseCores {
    std::span<CoreRun* const> runs; // by place
    std::span<CoreId const> cores;  // by place

    [[nodiscard]] CoreRun& run(std::size_t place) const { return *runs[place]; }
    [[nodiscard]] CoreId core(std::size_t place) const { return cores[place]; }
};

static_assert(alignof(CoreRun) == cache_line_bytes && sizeof(CoreRun) % cache_line_bytes == 0);
static_assert(offsetof(PhaseRun, head) % cache_line_bytes == 0 && sizeof(PhaseRun) == 2 * cache_line_bytes);

} // namespace mxk::bench
