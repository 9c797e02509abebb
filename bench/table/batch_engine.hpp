// The engine that sends operations in batches (hashtable/batch/batch_client.hpp): one task on each core takes
// instructions and submits them, a hundred or so in a turn. What comes home is compared with what was expected,
// operation by operation. Access: a table that takes keys with values and can be sent batches.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/prefetch.hpp"
#include "bench/table/engine.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "hashtable/batch/reading_client.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// What comes back with each operation's result: the expected one.
struct PlainExpectation {
    explicit PlainExpectation(Instruction const& instruction)
        : is_yes(instruction.expected) {}
    PlainExpectation() = default;

    // A result of yes, with a value that nobody has overwritten.
    [[nodiscard]] std::uint8_t is_first_version() const { return is_yes; }

    std::uint8_t is_yes;
};
// The same with when it began, if that is measured, and with the version of the value that it must meet, where no other
// one will do (of those beyond 2^31 not all bits are compared).
struct TimedExpectation {
    TimedExpectation(Instruction const& instruction, OperationStart its_start)
        : is_yes(instruction.expected)
        , version(instruction.is_exact ? instruction.version & version_bits : 0)
        , start(its_start) {}
    TimedExpectation() = default;

    [[nodiscard]] std::uint8_t is_first_version() const { return is_yes == 1 && version == 0 ? 1 : 0; }
    [[nodiscard]] bool is_value(std::uint64_t key, std::uint64_t value) const {
        return (version_of(key, value) & version_bits) == version;
    }

    static constexpr std::uint32_t version_bits = 0x7fff'ffff;
    std::uint32_t is_yes : 1;
    std::uint32_t version : 31;
    OperationStart start;
};
static_assert(sizeof(TimedExpectation) == 8);

// The client of one core, and the task that feeds it. reads_in_place: finds do not travel (reading_client.hpp).
template <typename Regions, typename Expected = PlainExpectation, bool reads_in_place = false>
class BatchSubmitter : public Task {
    static constexpr bool is_timed = std::same_as<Expected, TimedExpectation>;
    struct Check {
        BatchSubmitter& submitter;
        [[gnu::always_inline]] void found(std::uint64_t key, std::uint64_t value, Expected expected) const {
            count_latency(expected);
            if (value == value_of(key) && expected.is_first_version() == 1) [[likely]]
                return;
            if (expected.is_yes == 0 || !submitter.is_right_value(key, value, expected)) submitter.run_->count_wrong();
        }
        [[gnu::always_inline]] void not_found(std::uint64_t, Expected expected) const {
            count_latency(expected);
            if (expected.is_yes == 1) [[unlikely]]
                submitter.run_->count_wrong();
        }
        [[gnu::always_inline]] void count_latency(Expected expected) const {
            if constexpr (is_timed)
                if (Histogram* const latency = submitter.run_->latency())
                    submitter.count_latency(stamp_after_loads(), expected, *latency);
        }
        void operator()(Worker&, CookieBatch<Expected> const& batch) const {
            if constexpr (is_timed) {
                if (Histogram* const latency = submitter.run_->latency()) submitter.count_latency(batch, *latency);
            }
            if (!is_as_expected(batch)) [[unlikely]]
                submitter.check_each(batch);
        }
    };
    using Pace = std::conditional_t<is_timed, BatchPace, NoPace>;
    using Client = std::conditional_t<reads_in_place, ReadingClient<Regions, Check, Expected, Pace>,
                                      BatchClient<Regions, Check, Expected, Pace>>;

  public:
    using Memory = typename Client::Memory;

    // `max_version`: of the values that operations write (instructions.hpp). `is_exact`: each one's expectation says
    // which version it must meet.
    BatchSubmitter(Worker& worker, Batched<Regions>& table, Memory memory, std::uint64_t max_version, bool is_exact,
                   auto... reads)
        : Task(&BatchSubmitter::submit_some, worker.core())
        , max_version_(max_version)
        , is_exact_(is_exact)
        , client_(worker, table, std::move(memory), Check{*this}, reads...) {}

    // What it takes its instructions from, and ends. Before it is appended to its core's queue, once for each phase.
    void take_from(CoreRun& run) {
        run_ = &run;
        body = &submit_some;
        if constexpr (is_timed)
            if (run.arrivals().is_open_load()) body = &BatchSubmitter::submit_due;
    }
    // `max_latency`: 0: no cap.
    static Result<Memory> make_memory(Batched<Regions> const& table, NodeId node, Nanoseconds max_latency) {
        if constexpr (is_timed) return Memory::create_paced(table, node, clock::to_cycles(max_latency));
        return Memory::create(table, node);
    }

  private:
    // A turn takes a microsecond: the core's batches get theirs in between. Measured on one core, in cycles per insert:
    // 74 with 32, 69 with 64, 68 with 128, 73 with 256.
    static constexpr std::size_t per_turn = 128;

    [[gnu::flatten]] static void submit_some(Worker& worker, Task& task) {
        auto& self = static_cast<BatchSubmitter&>(task);
        for (std::size_t left = per_turn; left > 0;) {
            if (self.taken_.empty()) self.taken_ = self.run_->take(left);
            if (self.taken_.empty()) [[unlikely]]
                return self.end();
            left -= std::min(left, self.taken_.size());
            if (!self.submit_taken()) [[unlikely]]
                return self.client_.when_room(self);
        }
        worker.append(self);
    }

    // The same in an open load: up to the first one that is not due yet.
    static void submit_due(Worker& worker, Task& task) {
        auto& self = static_cast<BatchSubmitter&>(task);
        Cycles now = clock::timestamp();
        HostPauses* const pauses = self.run_->pauses();
        if (pauses != nullptr) now = pauses->turn(now);
        for (std::size_t left = per_turn; left > 0; --left) {
            if (self.taken_.empty()) self.taken_ = self.run_->take(left);
            if (self.taken_.empty()) [[unlikely]]
                return self.end();
            Instruction const& next = self.taken_.front();
            Cycles const due = self.run_->arrivals().due(self.run_->place_of(next));
            if (raw(due) > raw(now)) {
                if (pauses != nullptr) pauses->caught_up(now);
                return worker.when_round(self);
            }
            if (!self.submit(next, Expected(next, OperationStart::due(due, now)))) [[unlikely]]
                return self.client_.when_room(self);
            self.taken_ = self.taken_.subspan(1);
        }
        worker.append(self);
    }
    [[nodiscard]] bool submit(Instruction const& instruction, Expected expected) {
        std::uint64_t const value = max_version_ == 0 ? value_of(instruction.key) : operand_of(instruction);
        return client_.submit(instruction.operation, instruction.key, value, expected);
    }

    // False if one was refused; from that one on they are still there.
    [[gnu::always_inline]] bool submit_taken() {
        std::span<Instruction const> const taken = std::exchange(taken_, {});
        std::size_t const done = max_version_ != 0 ? submit_versions(taken) : submit_values(taken);
        if (done == taken.size()) [[likely]]
            return true;
        taken_ = taken.subspan(done);
        return false;
    }

    // How many were not refused.
    [[gnu::always_inline]] std::size_t submit_values(std::span<Instruction const> taken) {
        return client_.submit_each(taken.size(), [this, taken](std::size_t at) -> typename Client::Request {
            Instruction const& instruction = taken[at];
            ask_for_later(instruction);
            return {instruction.operation, instruction.key, value_of(instruction.key), expectation(instruction)};
        });
    }
    [[gnu::noinline]] std::size_t submit_versions(std::span<Instruction const> taken) {
        if constexpr (reads_in_place)
            return client_.submit_each(taken.size(), [this, taken](std::size_t at) -> typename Client::Request {
                Instruction const& instruction = taken[at];
                ask_for_later(instruction);
                return {instruction.operation, instruction.key, operand_of(instruction), expectation(instruction)};
            });
        std::size_t done = 0;
        for (; done < taken.size(); ++done) {
            ask_for_later(taken[done]);
            if (!submit(taken[done], expectation(taken[done]))) break;
        }
        return done;
    }
    // The next turn's instructions, perhaps behind the last one of all: here they are read too seldom for the processor
    // to ask. One by one, since a core has few buffers for lines on their way.
    [[gnu::always_inline]] static void ask_for_later(Instruction const& now) { prefetch_for_read(&now + per_turn); }

    void end() {
        if constexpr (reads_in_place)
            run_->count_read_in_place(client_.finds_here() - std::exchange(counted_finds_, client_.finds_here()));
        body = [](Worker&, Task& task) { static_cast<BatchSubmitter&>(task).run_->end(); };
        client_.flush();
        client_.when_at_rest(*this);
    }

    [[gnu::always_inline]] Expected expectation(Instruction const& instruction) const {
        if constexpr (is_timed)
            return {instruction, run_->latency() != nullptr ? OperationStart::now() : OperationStart()};
        else
            return Expected(instruction);
    }

    void count_latency(CookieBatch<Expected> const& batch, Histogram& latency) const {
        Cycles const now = stamp_after_loads();
        for (std::size_t at = 0; at < batch.size(); ++at) count_latency(now, batch.cookie(at), latency);
    }
    void count_latency(Cycles now, Expected const& operation, Histogram& latency) const {
        if (!run_->arrivals().is_measured(now)) return;
        std::uint32_t const lasted = operation.start.until(now);
        latency.add(lasted);
        if (HostPauses* const pauses = run_->pauses()) pauses->ended(now, lasted);
    }

    // Operations of one kind that came to what was expected, which is that they do what they say: what nearly all
    // batches are. Without a branch for each operation.
    static bool is_as_expected(CookieBatch<Expected> const& batch) {
        if (!batch.all_yes()) return false;
        bool const is_erase = batch.all_are(Operation::Erase);
        if (!is_erase && !batch.all_are(Operation::Find) && !batch.all_are(Operation::Insert)) return false;
        // Of a full batch, which nearly all are, the compiler knows the size: it looks at several operations at once.
        if (batch.size() == Batch::capacity) [[likely]]
            return is_as_expected(batch, Batch::capacity, is_erase);
        return is_as_expected(batch, batch.size(), is_erase);
    }
    [[gnu::always_inline]] static bool is_as_expected(CookieBatch<Expected> const& batch, std::size_t size,
                                                      bool is_erase) {
        std::uint8_t expected = 1;
        for (std::size_t at = 0; at < size; ++at) expected &= batch.cookie(at).is_first_version();
        if (is_erase) return expected == 1;
        std::uint64_t different = 0;
        for (std::size_t at = 0; at < size; ++at) different |= batch.value(at) ^ value_of(batch.key(at));
        return expected == 1 && different == 0;
    }

    void check_each(CookieBatch<Expected> const& batch) {
        if (max_version_ != 0) return check_versions(batch);
        for (std::size_t at = 0; at < batch.size(); ++at) {
            bool const yes = batch.result(at) == TableResult::Yes;
            bool const found = yes && batch.is_find(at);
            bool const right = yes == (batch.cookie(at).is_yes == 1) && batch.result(at) != TableResult::Full &&
                               (!found || batch.value(at) == value_of(batch.key(at)));
            if (!right) run_->count_wrong();
        }
    }
    // The same where values are overwritten: what is found may be any version, or must be a certain one.
    [[gnu::noinline]] void check_versions(CookieBatch<Expected> const& batch) {
        for (std::size_t at = 0; at < batch.size(); ++at) {
            bool const yes = batch.result(at) == TableResult::Yes;
            bool const found = yes && (batch.is_find(at) || batch.operation(at) == Operation::Modify);
            bool const right = yes == (batch.cookie(at).is_yes == 1) && batch.result(at) != TableResult::Full &&
                               (!found || is_right_value(batch.key(at), batch.value(at), batch.cookie(at)));
            if (!right) run_->count_wrong();
        }
    }
    [[gnu::always_inline]] bool is_right_value(std::uint64_t key, std::uint64_t value, Expected expected) const {
        if (max_version_ == 0) return value == value_of(key);
        if constexpr (is_timed)
            if (is_exact_) return expected.is_value(key, value);
        return is_value_of(key, value, max_version_);
    }

    CoreRun* run_ = nullptr;
    std::span<Instruction const> taken_; // and not submitted yet
    std::uint64_t max_version_;          // 0: nothing is overwritten
    bool is_exact_;
    std::uint64_t counted_finds_ = 0; // in place, of the phases before
    Client client_;
};

template <typename Access, typename Expected, bool reads_in_place = false>
class BatchEngine final : public AccessEngine<Access> {
    using Regions = std::remove_reference_t<decltype(std::declval<Access&>().table())>;
    using Submitter = BatchSubmitter<Regions, Expected, reads_in_place>;

  public:
    using AccessEngine<Access>::AccessEngine;
    Result<void> make(EngineSetup const& setup) {
        run_ = &setup.run;
        return {};
    }

    Result<void> reset() override {
        submitters_ = {}; // they refer to the last table
        batched_.reset();
        MXK_TRY(AccessEngine<Access>::reset());
        batched_.emplace(MXK_TRY(Batched<Regions>::create(this->access().table())));
        std::size_t const cores = batched_->region_count();
        auto submitters = MXK_TRY(PerCore<Submitter>::with_room(cores, Worker::current().node()));
        for (std::size_t i = 0; i < cores; ++i) {
            Worker& worker = workers::of(this->access().table().core(i));
            auto memory = MXK_TRY(Submitter::make_memory(*batched_, worker.node(), run_->latency_cap));
            auto const add = [&](auto... reads) {
                return submitters.add(worker.node(), worker, *batched_, std::move(memory), run_->max_version(),
                                      run_->trace.has_value(), reads...);
            };
            auto const added = add_with_reads(add);
            if (!added) return added.error();
        }
        submitters_ = std::move(submitters);
        return {};
    }

    void prepare(PhaseCores const& cores) override {
        for (std::size_t i = 0; i < submitters_.size(); ++i) submitters_[i].take_from(cores.run(i));
    }
    void prepare_core(Worker&, std::size_t) override {}
    void start_core(Worker& worker, std::size_t at) override { worker.append(submitters_[at]); }

  private:
    auto add_with_reads(auto add) const {
        if constexpr (reads_in_place)
            return add(run_->way.reads == Reads::Auto ? ClientReads::ByShare : ClientReads::InPlace);
        else
            return add();
    }

    TableRun const* run_ = nullptr;
    std::optional<Batched<Regions>> batched_;
    PerCore<Submitter> submitters_; // by place
};

// With or without times and versions. Errors: as EngineOwner::create().
template <typename Access, bool reads_in_place = false>
Result<EngineOwner> create_batch_engine(EngineSetup const& setup) {
    bool const is_exact = setup.run.trace && setup.run.max_version() != 0;
    if (setup.run.latency || is_exact)
        return EngineOwner::create<BatchEngine<Access, TimedExpectation, reads_in_place>>(setup);
    return EngineOwner::create<BatchEngine<Access, PlainExpectation, reads_in_place>>(setup);
}

} // namespace mxk::bench
