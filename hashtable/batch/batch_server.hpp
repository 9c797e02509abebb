// Runs the batches for one region, on its owner's core, in the order in which they come. While the operations of
// one batch run, the lines that those of the next one will touch are asked for, one for one: so the memory always has
// about as many requests as it can serve at a time, evenly spread, and an operation finds its line in the cache.
//
//     arrive(B1)  arrive(B2)               arrive(B3)               finish
//     ask B1      run B1 while asking B2   run B2 while asking B3   run B3
//
// What an operation's first line sends on to a second one is deferred until the next batch has run, with its batch
// (deferred.hpp). `finish` comes with each round of the core's tasks as long as there is a batch that waits for a next
// one: that one waits until none has come for a round.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "arch/cpu.hpp"
#include "base/prefetch_plan.hpp"
#include "base/vectors.hpp"
#include "hashtable/batch/batch.hpp"
#include "hashtable/batch/batch_positions.hpp"
#include "hashtable/batch/deferred.hpp"
#include "hashtable/partition/owner_change_hook.hpp"
#include "tasks/annotation.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// What a table has to offer. insert(): its result counts as TableResult does, 0 for inserted, 1 for present, 2 for no
// memory. find(): the value, or null. The others: as ValueWrites says. It may be a PositionTable, and a BehindTable
// (batch_positions.hpp).
template <typename Table>
concept BatchTable = requires(Table& table, std::uint64_t key, std::uint64_t value) {
    static_cast<TableResult>(table.insert(key, value));
    { *table.find(key) } -> std::convertible_to<std::uint64_t>;
    { table.erase(key) } -> std::same_as<bool>;
    { table.update(key, value) } -> std::same_as<bool>;
    static_cast<TableResult>(table.upsert(key, value));
    {
        *table.modify(key, [](std::uint64_t before) { return before; })
        } -> std::convertible_to<std::uint64_t>;
    table.prefetch(key);
};

template <typename Table> class alignas(cache_line_bytes) BatchServer {
  public:
    static_assert(BatchTable<Table>);

    explicit BatchServer(Table& region)
        : region_(region) {
        if constexpr (changes_owners) region_.before_change(before_change_);
    }
    BatchServer(BatchServer const&) = delete;
    BatchServer& operator=(BatchServer const&) = delete;

    // The body of a batch whose `server_` this is, as fast as the processor allows.
    static Task::Body arrival() { return arch::has_avx2() ? &arrive_with_avx2 : &arrive<false>; }

  private:
    [[MXK_WITH_AVX2]] static void arrive_with_avx2(Worker& worker, Task& task) { arrive<true>(worker, task); }
    // has_loops: for batches of one kind there is a loop of their own. Elsewhere that is not worth its instructions: on
    // a processor without AVX2, and for a batch that no other one follows.
    template <bool has_loops> static void arrive(Worker& worker, Task& task) {
        auto& batch = static_cast<Batch&>(task);
        auto& self = *static_cast<BatchServer*>(batch.server_);
        if constexpr (changes_owners) {
            if (!self.region_.is_complete()) [[unlikely]] {
                std::span<std::uint64_t const> const keys(batch.keys_.data(), batch.size_);
                if (self.region_.must_park(batch.home, keys)) return self.region_.park(task, batch.home);
            }
        }
        Batch* const before = std::exchange(self.waiting_, &batch);
        // The client has these lines: it is not asked for them one by one then.
        if (batch.home != worker.core()) ask_for_values(batch);
        if (before != nullptr) return self.template run_before<has_loops>(worker, *before, batch);
        self.ask_for(batch, 0, batch.size_);
        self.finish_.newest = &batch;
        if (!std::exchange(self.finish_.is_queued, true)) worker.when_round(self.finish_);
    }

    // Whether cores may give parts of their regions to others (resharding.hpp).
    static constexpr bool changes_owners = requires(Table & table, OwnerChangeHook& hook) {
        { table.is_complete() } -> std::same_as<bool>;
        table.before_change(hook);
    };
    struct BeforeChange : OwnerChangeHook {
        explicit BeforeChange(BatchServer& its_server)
            : OwnerChangeHook{[](OwnerChangeHook& hook, Worker& worker) {
                BatchServer& self = static_cast<BeforeChange&>(hook).server;
                if (self.waiting_ != nullptr) self.run_waiting(worker);
            }}
            , server(its_server) {}
        BatchServer& server;
    };
    struct Finish : Task {
        explicit Finish(BatchServer& its_server)
            : Task(&BatchServer::finish)
            , server(its_server) {}
        BatchServer& server;
        Batch* newest = nullptr; // when this was appended
        bool is_queued = false;
    };

    static void finish(Worker& worker, Task& task) {
        auto& finish = static_cast<Finish&>(task);
        BatchServer& self = finish.server;
        if (self.waiting_ == nullptr) { // it could not wait for this
            finish.is_queued = false;
            return;
        }
        if (self.waiting_ != finish.newest) { // others came, more may be in the queue
            finish.newest = self.waiting_;
            return worker.when_round(finish);
        }
        finish.is_queued = false;
        self.run_waiting(worker);
    }

    // What operations read or write besides the table; they run when the next batch has come.
    static void ask_for_values(Batch const& batch) {
        if (batch.all_are(Operation::Erase)) return;
        std::size_t const bytes = batch.size_ * sizeof(std::uint64_t);
        (batch.has_finds() ? Annotation::writes(batch.values_.data(), bytes)
                           : Annotation::reads(batch.values_.data(), bytes))
            .prefetch();
    }

    template <bool has_loops> void run_before(Worker& worker, Batch& batch, Batch const& next) {
        run<has_loops>(batch, &next);
        if constexpr (BehindTable<Table>) {
            complete_deferred(worker);
            if (!put_off_.now->none()) return std::swap(put_off_.now, put_off_.before);
        }
        return_to_client(worker, batch);
    }
    void run_waiting(Worker& worker) {
        Batch& last = *std::exchange(waiting_, nullptr);
        run<false>(last, nullptr);
        if constexpr (BehindTable<Table>) {
            complete_deferred(worker);
            run_all(*put_off_.now);
        }
        return_to_client(worker, last); // if it was the last of all, the server may be gone now
    }

    static void return_to_client(Worker& worker, Batch& batch) {
        batch.body = batch.client_->arrived;
        if (batch.home == worker.core()) return batch.body(worker, batch);
        batch.touches = batch.has_finds() ? Annotation::reads(batch.values_.data(), batch.size_ * sizeof(std::uint64_t))
                                          : Annotation{}; // the client still has what it wrote
        worker.append(batch, batch.home);
    }

    // Of an operation that overwrites nothing.
    struct PlainCode {
        std::uint64_t code;
    };

    // Mostly all operations of a batch are of one kind: then the loop has no branch but the table's own.
    template <bool has_loops> void run(Batch& batch, Batch const* next) {
        using enum Operation;
        std::size_t const near = prefetch_plan.near;
        if constexpr (has_loops)
            if (near == 0) [[likely]] {
                if (batch.all_are(Insert)) return run(batch, next, no_near, [](std::size_t) { return Insert; });
                if (batch.all_are(Find)) return run(batch, next, no_near, [](std::size_t) { return Find; });
                if (batch.all_are(Erase)) return run(batch, next, no_near, [](std::size_t) { return Erase; });
            }
        if (batch.has_overwrites()) [[unlikely]]
            return run_overwrites(batch, next, near);
        run(batch, next, near, [&batch](std::size_t at) { return PlainCode{batch.operations_[at]}; });
    }

    // Not inline: the loops of the others are compiled as if this one were not there.
    [[gnu::noinline]] void run_overwrites(Batch& batch, Batch const* next, std::size_t near) {
        run(batch, next, near, [&batch](std::size_t at) { return batch.operation(at); });
    }

    static constexpr std::integral_constant<std::size_t, 0> no_near{};
    // near: so many operations ahead, lines are asked for once more; 0: they are not (base/prefetch_plan.hpp).
    // kind(at): what the operation at a place is.
    void run(Batch& batch, Batch const* next, auto near, auto kind) {
        positions_.swap(); // what was asked for is for this batch
        batch.results_ = {};
        if constexpr (BehindTable<Table>) {
            put_off_.now->batch = &batch;
            if (!put_off_.before->none() && !put_off_.before->is_current(region_)) run_all(*put_off_.before);
        }
        std::size_t const size = batch.size_;
        std::size_t const together = next != nullptr ? std::min<std::size_t>(size, next->size_) : 0;
        // The result; 0 of one that was deferred.
        auto const run_one = [&](std::size_t at) __attribute__((always_inline))->std::uint64_t {
            if (!positions_.is_valid(region_)) [[unlikely]]
                return operate_anew(batch, at);
            if constexpr (BehindTable<Table>) {
                if (positions_.is_behind(region_, batch.keys_[at], at)) [[unlikely]] {
                    put_off_.now->add(region_, at, positions_[at]);
                    return 0;
                }
            }
            return positions_.with(
                at, [&](auto const&... position)
                        __attribute__((always_inline)) { return operate(kind(at), batch, at, position...); });
        };
        constexpr std::size_t burst = BatchPositions<Table>::burst;
        std::size_t at = 0;
        if (near != 0) positions_.ask_near(0, near);
        for (; at + burst <= together; at += burst) {
            ask_for(*next, at, at + burst);
            if (near != 0) positions_.ask_near(at + near, at + near + burst);
            std::uint64_t results = 0;
            for (std::size_t i = 0; i < burst; ++i) results |= run_one(at + i) << 2 * i;
            batch.results_.add(at, results);
        }
        std::size_t const asked = at;
        for (; at < size; ++at) batch.results_.add(at, run_one(at));
        if (next != nullptr) ask_for(*next, asked, next->size_);
    }

    [[gnu::always_inline]] void ask_for(Batch const& batch, std::size_t from, std::size_t to) {
        positions_.ask(region_, &batch.keys_[from], from, to);
    }

    // What the batch before the one that has just run had deferred: then that one goes home.
    void complete_deferred(Worker& worker) {
        Batch* const batch = put_off_.before->batch;
        if (batch == nullptr) return;
        bool const changes = !put_off_.before->none() && !batch->all_are(Operation::Find);
        run_all(*put_off_.before);
        // What has just run may have brought others to the front, where the next batch would find them.
        if (changes && put_off_.now->may_meet(*put_off_.before)) run_all(*put_off_.now);
        put_off_.before->batch = nullptr;
        return_to_client(worker, *batch);
    }
    // Without its position. It does not ask whether it is behind, so what was deferred comes first.
    [[gnu::noinline]] std::uint64_t operate_anew(Batch& batch, std::size_t at) {
        if constexpr (BehindTable<Table>) {
            run_all(*put_off_.before);
            run_all(*put_off_.now);
        }
        return operate(batch.operation(at), batch, at);
    }
    [[gnu::noinline]] void run_all(auto& deferred) {
        deferred.run_all([&](std::size_t at, auto const& position) {
            Batch& batch = *deferred.batch;
            std::uint64_t const result = deferred.is_valid(region_) ? operate(batch.operation(at), batch, at, position)
                                                                    : operate(batch.operation(at), batch, at);
            batch.results_.add(at, result);
        });
    }

    // With the key's position, if that is known.
    [[gnu::always_inline]] std::uint64_t operate(PlainCode plain, Batch& batch, std::size_t at,
                                                 auto const&... position) {
        switch (plain.code) {
        case 0: return operate(Operation::Insert, batch, at, position...);
        case 1: return operate(Operation::Find, batch, at, position...);
        default: return operate(Operation::Erase, batch, at, position...);
        }
    }
    [[gnu::always_inline]] std::uint64_t operate(Operation operation, Batch& batch, std::size_t at,
                                                 auto const&... position) {
        std::uint64_t const key = batch.keys_[at];
        return dispatch(
            operation, [&](auto known) __attribute__((always_inline)) {
                if constexpr (known == Operation::Insert) {
                    return static_cast<std::uint64_t>(region_.insert(key, batch.values_[at], position...));
                } else if constexpr (known == Operation::Find) {
                    auto const* const value = region_.find(key, position...);
                    if (value != nullptr) batch.values_[at] = *value;
                    return static_cast<std::uint64_t>(value != nullptr ? TableResult::Yes : TableResult::No);
                } else if constexpr (known == Operation::Erase) {
                    bool const erased = region_.erase(key, position...);
                    return static_cast<std::uint64_t>(erased ? TableResult::Yes : TableResult::No);
                } else {
                    return overwrite(operation, batch, at, position...);
                }
            });
    }
    // Not inline: once for all the places that come here.
    [[gnu::noinline]] std::uint64_t overwrite(Operation operation, Batch& batch, std::size_t at,
                                              auto const&... position) {
        std::uint64_t const key = batch.keys_[at];
        std::uint64_t const value = batch.values_[at];
        bool is_yes = false;
        if (operation == Operation::Update) {
            is_yes = region_.update(key, value, position...);
        } else if (operation == Operation::Upsert) {
            return static_cast<std::uint64_t>(region_.upsert(key, value, position...));
        } else {
            auto const before = region_.modify(
                key, [value](std::uint64_t there) { return there + value; }, position...);
            is_yes = before.has_value();
            if (is_yes) batch.values_[at] = *before;
        }
        return static_cast<std::uint64_t>(is_yes ? TableResult::Yes : TableResult::No);
    }

    // Of a table that puts none off: nothing.
    struct NoPutOff {};
    template <typename> struct PutOffOf { using Type = NoPutOff; };
    template <BehindTable Behind> struct PutOffOf<Behind> {
        struct Type {
            std::array<Deferred<Behind>, 2> both;
            Deferred<Behind>* now = &both[0];    // by the batch that runs
            Deferred<Behind>* before = &both[1]; // by the one before, which has not gone home then
        };
    };

    Table& region_;
    BatchPositions<Table> positions_;
    [[no_unique_address]] typename PutOffOf<Table>::Type put_off_;
    Batch* waiting_ = nullptr; // its lines were asked for; then finish_ is in the queue
    Finish finish_{*this};
    BeforeChange before_change_{*this};
};

} // namespace mxk
