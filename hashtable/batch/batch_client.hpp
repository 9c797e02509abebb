// A core's way to a table whose regions belong to many, for clients with many operations in hand. Operations on the
// same region travel together: a batch leaves when it is full, or when the core has nothing else to do (and at the
// latest after a bounded number of other tasks, see Worker), so a single operation is never delayed for ever.
//
//     struct Completed {
//         void operator()(Worker&, auto const& batch) const;    // batch.key(i), batch.result(i), i < batch.size()
//     };
//     using Client = BatchClient<Partitioned<Bucketed>, Completed>;
//     Client client(worker, batched, std::move(memory), Completed{});    // Client::Memory::create(batched, node)
//     if (!client.insert(key, value)) return client.when_room(task);     // the task tries again later
//     client.flush();                                                    // after the last one
//     client.when_at_rest(last_task);
//
// Order: operations of one client on one region, hence on one key, take effect in the order in which they were
// submitted. Nothing orders those on different regions.
//
// Bounded: a client has a fixed number of batches (batch_supply.hpp). An operation for which there is no room is
// refused, never blocked and never dropped. A slow owner uses up its share; operations for others are accepted as
// before, so a client that has some may submit them: what it must not do is to submit a later operation on the key
// that was refused before that one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "hashtable/batch/batch.hpp"
#include "hashtable/batch/batch_pace.hpp"
#include "hashtable/batch/batch_supply.hpp"
#include "hashtable/batch/batched.hpp"
#include "hashtable/batch/descheduled_owner.hpp"
#include "hashtable/partition/owner_change_hook.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// For clients that do not want to know: batches come home unread.
struct NoResults {};

// What a core goes by where owners change (sharded.hpp).
template <typename Regions> struct ViewOf { using Type = void; };
template <typename Regions>
requires requires {
    typename Regions::View;
}
struct ViewOf<Regions> {
    using Type = typename Regions::View;
};

// Completed: called as completed(worker, CookieBatch<Cookie> const&) at home, once for each batch, as a task or part of
// one, never from within submit(). Batches of one region come in order. It may submit. The batch is the client's again
// when it returns. Cookie: see CookieBatch. Pace: NoPace, or BatchPace for a cap on latency.
// All functions: the core of the client's worker, and none blocks.
template <typename Regions, typename Completed = NoResults, typename Cookie = NoCookie, typename Pace = NoPace>
class BatchClient : BatchHome {
    using OwnBatch = CookieBatch<Cookie>;
    static constexpr bool wants_results = !std::same_as<Completed, NoResults>;
    static constexpr bool is_paced = std::same_as<Pace, BatchPace>;
    static_assert(std::is_trivially_copyable_v<Cookie>);
    static_assert(!wants_results || std::invocable<Completed&, Worker&, OwnBatch const&>);

    // Towards one region.
    struct alignas(cache_line_bytes) Lane {
        OwnBatch* open = nullptr;    // being filled: neither empty nor full, between two calls
        std::uint32_t size = 0;      // of the open one
        std::uint8_t kind = 0;       // of all operations in it, or `mixed`: then operations_ has each one's
        std::uint8_t codes = 0;      // mixed: of the operations that overwrite nothing, 0 to 2, so 3; else 0
        std::uint32_t held = 0;      // batches, the open one counted
        TaskList waiting_for_room{}; // what was refused; then `held` is not 0
    };

  public:
    // Batches besides the two that each region has: what one core processes in 40 us, 72 KiB. Measured on two cores 1
    // us apart, with batches of half the size: 97 M inserts/s with 32, 161 with 128.
    static constexpr std::size_t default_spare = 64;
    // And those for an owner that lost its processor, which an operating system takes for some milliseconds: what the
    // client has for it meanwhile. 1.2 MiB or more, from then on.
    static constexpr std::size_t default_reserve = 1024;

    // Made before the client, since it may fail: 2304 bytes for each region (with cookies of a byte 2816, since they
    // stand apart by a pair of lines), half of that for each batch that is spare. The reserve's is taken when an owner
    // is first absent, if there is memory then. Errors and callers as NodeArray::create.
    struct Memory {
        static Result<Memory> create(Batched<Regions> const& table, NodeId node, std::size_t spare = default_spare,
                                     std::size_t reserve = default_reserve) {
            std::size_t const regions = table.region_count();
            return Memory{MXK_TRY(NodeVector<Lane>::create(regions, node)),
                          MXK_TRY(BatchSupply<OwnBatch>::create(regions, spare, reserve, node))};
        }
        // The same with a cap on the time from an operation's submission until its result is home (batch_pace.hpp; 0:
        // none), for a client with a Pace: 16 bytes more for each batch, 64 for each region.
        static Result<Memory> create_paced(Batched<Regions> const& table, NodeId node, Cycles cap,
                                           std::size_t spare = default_spare,
                                           std::size_t reserve = default_reserve) requires is_paced {
            Memory memory = MXK_TRY(create(table, node, spare, reserve));
            memory.pace = MXK_TRY(BatchPace::create(cap, table.region_count(), memory.supply.size(), node));
            return memory;
        }

      private:
        friend BatchClient;
        Memory(NodeVector<Lane> its_lanes, BatchSupply<OwnBatch> its_supply)
            : lanes(std::move(its_lanes))
            , supply(std::move(its_supply)) {}
        NodeVector<Lane> lanes;
        BatchSupply<OwnBatch> supply;
        [[no_unique_address]] Pace pace{};
    };

    // `worker` is the one of the core that will use it; any core may make it, if it hands it over by a task.
    BatchClient(Worker& worker, Batched<Regions>& table, Memory memory, Completed completed = {})
        : BatchHome{&BatchClient::complete}
        , worker_(worker)
        , table_(table)
        , regions_(*table.regions_)
        , lanes_(std::move(memory.lanes))
        , supply_(std::move(memory.supply))
        , pace_(std::move(memory.pace))
        , completed_(std::move(completed)) {
        for (std::size_t i = 0; i < table.region_count(); ++i) lanes_.emplace();
        CoreId const home = worker.core();
        BatchHome& self = *this;
        supply_.fill(self, home);
        if constexpr (changes_owners) {
            table.regions_->before_change(home, before_change_);
            view_ = &regions_.view(home);
        }
    }
    BatchClient(BatchClient const&) = delete;
    BatchClient& operator=(BatchClient const&) = delete;
    ~BatchClient() {
        expect(at_rest(), "a client of batches goes when all its operations have ended, and not before");
        if constexpr (changes_owners) table_.regions_->forget(worker_.core(), before_change_);
    }

    // False if there is no room: nothing was done then (see when_room()). `value`: what an insert, update or upsert
    // writes, and what a modify adds to the value.
    [[nodiscard]] bool submit(Operation operation, std::uint64_t key, std::uint64_t value, Cookie cookie = {}) {
        std::size_t const region = owner(key);
        if (overwrites(operation)) [[unlikely]]
            return submit_overwrite(region, operation, key, value, cookie);
        return submit_to(region, {operation, key, value, cookie});
    }
    struct Request {
        Operation operation;
        std::uint64_t key;
        std::uint64_t value; // see submit()
        [[no_unique_address]] Cookie cookie;
    };
    // The same for operations request(0), request(1), ... of `count`, until one is refused; so many, 0 to count, were
    // taken. Fewer instructions for each where there is one region. Panics on operations that overwrite.
    [[gnu::always_inline]] std::size_t submit_each(std::size_t count, auto request) {
        std::size_t done = 0;
        if (lanes_.size() == 1) {
            while (done < count && submit_to(0, request(done))) done += 1 + copy(done + 1, count, request);
        } else {
            for (; done < count; ++done) {
                Request const next = request(done);
                if (!submit_to(owner(next.key), next)) [[unlikely]]
                    break;
            }
        }
        return done;
    }
    [[nodiscard]] bool insert(std::uint64_t key, std::uint64_t value, Cookie cookie = {}) {
        return submit(Operation::Insert, key, value, cookie);
    }
    [[nodiscard]] bool find(std::uint64_t key, Cookie cookie = {}) { return submit(Operation::Find, key, 0, cookie); }
    [[nodiscard]] bool erase(std::uint64_t key, Cookie cookie = {}) { return submit(Operation::Erase, key, 0, cookie); }
    [[nodiscard]] bool update(std::uint64_t key, std::uint64_t value, Cookie cookie = {}) {
        return submit(Operation::Update, key, value, cookie);
    }
    [[nodiscard]] bool upsert(std::uint64_t key, std::uint64_t value, Cookie cookie = {}) {
        return submit(Operation::Upsert, key, value, cookie);
    }
    // Adds to the value that is there; the result is what was there before.
    [[nodiscard]] bool modify(std::uint64_t key, std::uint64_t addend, Cookie cookie = {}) {
        return submit(Operation::Modify, key, addend, cookie);
    }

    // Right after an operation was refused: appends the task to this core's queue as soon as a batch has come home from
    // the region that has no room. The task submits the operation again; it may be refused again, if others wait, too.
    void when_room(Task& task) {
        expect(refused_ != none, "an operation is refused before its client waits for room");
        std::size_t const region = std::exchange(refused_, none);
        lanes_[region].waiting_for_room.append(task);
        settle();
        if (!supply_.has_reserve() && !supply_.lends()) return; // there is nothing to be done about an absence
        absence_.refused(region);
        supply_.lend(absence_.is_absent());
        ask_for_idle();
    }

    // Sends what has been submitted so far.
    void flush() {
        for (std::size_t i = 0; i < lanes_.size(); ++i)
            if (lanes_[i].open != nullptr) send(lanes_[i], i);
    }

    // Whether there is a cap on latency.
    [[nodiscard]] bool has_cap() const { return pace_.has_cap(); }

    // Nothing is under way: every operation has ended and its results were handed on.
    [[nodiscard]] bool at_rest() const { return supply_.out() == 0 && !idle_.is_asked; }
    // Appends the task to this core's queue when that is so, perhaps at once. The client may be gone from then on.
    void when_at_rest(Task& task) {
        waiting_for_rest_.append(task);
        look_for_rest();
    }

  private:
    [[gnu::always_inline]] bool submit_to(std::size_t region, Request const& request) {
        Lane& lane = lanes_[region];
        if (lane.open == nullptr && !open(lane, region)) [[unlikely]]
            return false;
        OwnBatch& batch = *lane.open;
        std::size_t const at = lane.size;
        // The line of keys behind this one: the owner has read it meanwhile.
        prefetch_for_write(&batch.keys_[(at + per_line) % Batch::capacity]);
        batch.keys_[at] = request.key;
        if (request.operation == Operation::Insert) {
            prefetch_for_write(&batch.values_[(at + per_line) % Batch::capacity]);
            batch.values_[at] = request.value;
        }
        if (auto const kind = static_cast<std::uint8_t>(request.operation); kind != lane.kind) [[unlikely]] {
            if (kind < lane.codes)
                batch.operations_.add(at, kind);
            else
                change_kind(lane, kind);
        }
        batch.put_cookie(at, request.cookie);
        lane.size = static_cast<std::uint32_t>(at + 1);
        if (at + 1 == Batch::capacity) send(lane, region);
        return true;
    }

    // As submit_to(). A batch with such an operation is `mixed`, and never has it for its kind.
    [[gnu::noinline]] bool submit_overwrite(std::size_t region, Operation operation, std::uint64_t key,
                                            std::uint64_t value, Cookie cookie) {
        Lane& lane = lanes_[region];
        if (lane.open == nullptr && !open(lane, region)) return false;
        bool const must_cut = lane.kind == mixed && lane.open->has_overwrites() && lane.open->overwrite() != operation;
        if (must_cut) {
            send(lane, region);
            if (!open(lane, region)) return false;
        }
        OwnBatch& batch = *lane.open;
        std::size_t const at = lane.size;
        if (lane.kind != mixed) {
            batch.operations_ = Batch::Codes::all(lane.kind, lane.kind == none_yet ? 0 : lane.size);
            mix(lane);
        }
        batch.operations_.add(at, OwnBatch::overwrite_code);
        batch.overwrite_ = (static_cast<std::uint32_t>(operation) - static_cast<std::uint32_t>(Operation::Update)) & 3;
        batch.keys_[at] = key;
        batch.values_[at] = value;
        batch.put_cookie(at, cookie);
        lane.size = static_cast<std::uint32_t>(at + 1);
        if (at + 1 == Batch::capacity) send(lane, region);
        return true;
    }

    // Of the requests from `from` on, those of the open batch's kind for which it has room, but for the last place of
    // it, into the only lane's open batch; how many.
    [[gnu::always_inline]] std::size_t copy(std::size_t from, std::size_t count, auto request) {
        Lane& lane = lanes_[0];
        if (lane.open == nullptr || lane.kind == mixed) return 0;
        OwnBatch& batch = *lane.open;
        auto const kind = static_cast<Operation>(lane.kind);
        std::size_t const size = lane.size;
        std::size_t const max = std::min(Batch::capacity - 1 - size, count - from);
        std::size_t copied = 0;
        for (; copied < max; ++copied) {
            Request const next = request(from + copied);
            if (next.operation != kind) [[unlikely]]
                break;
            batch.keys_[size + copied] = next.key;
            if (kind == Operation::Insert) batch.values_[size + copied] = next.value;
            batch.put_cookie(size + copied, next.cookie);
        }
        lane.size = static_cast<std::uint32_t>(size + copied);
        return copied;
    }

    static constexpr std::size_t per_line = cache_line_bytes / sizeof(std::uint64_t);
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    // Of Lane::kind, besides the operations.
    static constexpr std::uint8_t mixed = 0xfe;
    static constexpr std::uint8_t none_yet = 0xff;

    // What the worker runs when it has nothing else to do, asked for when a batch is opened.
    struct Idle : Task {
        explicit Idle(BatchClient& its_client)
            : Task(&BatchClient::become_idle)
            , client(its_client) {}
        BatchClient& client;
        bool is_asked = false;
    };

    // Whether regions may change their owners (resharding.hpp): what is collected was collected for the old ones.
    static constexpr bool changes_owners = requires(Regions & regions, OwnerChangeHook& hook) {
        regions.before_change(CoreId{}, hook);
    };
    struct BeforeChange : OwnerChangeHook {
        explicit BeforeChange(BatchClient& its_client)
            : OwnerChangeHook{[](OwnerChangeHook& hook, Worker&) { static_cast<BeforeChange&>(hook).client.flush(); }}
            , client(its_client) {}
        BatchClient& client;
    };

    static void become_idle(Worker& worker, Task& task) {
        auto& idle = static_cast<Idle&>(task);
        idle.is_asked = false;
        if (idle.client.pace_.has_cap() && !worker.ran_dry())
            idle.client.send_due();
        else
            idle.client.flush();
        idle.client.settle();
        if (idle.client.absence_.is_watching()) idle.client.look_for_absence();
        idle.client.look_for_rest();
    }

    // Whether the owner that somebody waits for runs at all. While it does not, the client goes on with what it has in
    // reserve: operations for others take effect, and what its owner finds when it is back is more.
    void look_for_absence() {
        Lane& lane = lanes_[absence_.region()];
        if (lane.waiting_for_room.empty()) return absence_.stop_watching();
        if (absence_.is_absent()) return; // the first batch that comes home calls those who wait
        if (!worker_.ran_dry()) return ask_for_idle();
        if (!absence_.look(clock::timestamp())) {
            if (!std::exchange(idle_.is_asked, true)) worker_.when_round(idle_);
            return;
        }
        CoreId const home = worker_.core();
        BatchHome& self = *this;
        supply_.fill_reserve(self, home);
        supply_.lend(true);
        wake_waiting(lane);
    }
    // What was borrowed for an absent owner goes back, and with the last of it the absence ends.
    void settle() {
        supply_.settle();
        if (!supply_.lends() || supply_.has_borrowed()) return;
        supply_.lend(false);
        absence_.end();
    }
    [[gnu::noinline]] void wake_waiting(Lane& lane) {
        while (Task* const waiting = lane.waiting_for_room.take()) worker_.append(*waiting);
    }

    // A batch is open: this core looks at it again when it has nothing else to do, or in time.
    void ask_for_idle() {
        if (!idle_.is_asked) [[unlikely]]
            ask_for_idle_now();
    }
    [[gnu::noinline]] void ask_for_idle_now() {
        idle_.is_asked = true;
        if (pace_.has_cap())
            worker_.when_round(idle_);
        else
            worker_.when_idle(idle_);
    }
    // The core is busy: only what may not wait.
    void send_due() {
        if constexpr (is_paced) {
            Cycles const now = clock::timestamp();
            bool has_open = false;
            for (std::size_t i = 0; i < lanes_.size(); ++i) {
                if (lanes_[i].open == nullptr) continue;
                if (pace_.is_due(i, now))
                    send(lanes_[i], i);
                else
                    has_open = true;
            }
            if (has_open) ask_for_idle();
        }
    }

    [[nodiscard]] std::size_t owner(std::uint64_t key) const {
        if constexpr (changes_owners)
            return regions_.owner(key, *view_);
        else
            return regions_.owner(key);
    }

    // Mostly all operations of a batch are of one kind, which is noted once. Here comes the first one of another kind,
    // or the first one of all.
    [[gnu::noinline]] static void change_kind(Lane& lane, std::uint8_t kind) {
        expect(!overwrites(static_cast<Operation>(kind)), "submit_each() is for operations that overwrite nothing");
        if (lane.kind == none_yet) {
            lane.kind = kind;
            return;
        }
        lane.open->operations_ = Batch::Codes::all(lane.kind, lane.size);
        lane.open->operations_.add(lane.size, kind);
        mix(lane);
    }

    static void mix(Lane& lane) {
        lane.kind = mixed;
        lane.codes = OwnBatch::overwrite_code;
    }

    // False if the region has no room.
    [[gnu::noinline]] bool open(Lane& lane, std::size_t region) {
        OwnBatch* const batch = may_hold_more(lane, region) ? supply_.take(lane.held) : nullptr;
        if (batch == nullptr) {
            refused_ = region;
            return false;
        }
        lane.open = batch;
        lane.size = 0;
        lane.kind = none_yet;
        lane.codes = 0;
        ++lane.held;
        if constexpr (is_paced)
            if (pace_.has_cap()) pace_.opened(region, clock::timestamp());
        ask_for_idle();
        return true;
    }
    [[nodiscard]] bool may_hold_more(Lane const& lane, std::size_t region) const {
        if constexpr (is_paced)
            if (pace_.has_cap()) return pace_.may_hold_more(region, lane.held);
        return true;
    }

    [[gnu::noinline]] void send(Lane& lane, std::size_t region) {
        OwnBatch& batch = *std::exchange(lane.open, nullptr);
        if constexpr (is_paced)
            if (pace_.has_cap()) pace_.sent(region, supply_.number_of(batch), lane.held, clock::timestamp());
        auto& owner = table_.owners_[region];
        if (lane.kind != mixed) batch.operations_ = Batch::Codes::all(lane.kind, lane.size);
        batch.region_ = region & (Batched<Regions>::max_regions - 1);
        batch.size_ = lane.size & 0xff;
        batch.server_ = &owner.server[0];
        batch.body = table_.arrival_;
        if (owner.core == worker_.core()) {
            batch.touches = {};
            return worker_.append(batch);
        }
        // The owner asks for the values by itself.
        batch.touches = Annotation::reads(&batch.operations_, cache_line_bytes + lane.size * sizeof(std::uint64_t));
        worker_.append(batch, owner.core);
    }

    [[gnu::flatten]] static void complete(Worker& worker, Task& task) {
        auto& batch = static_cast<OwnBatch&>(task);
        auto& self = static_cast<BatchClient&>(*batch.client_);
        if constexpr (wants_results) self.completed_(worker, std::as_const(batch));
        Lane& lane = self.lanes_[batch.region_];
        // The owner has read what this core is about to write again: the first lines, the others one by one.
        if (self.regions_.core(batch.region_) != worker.core()) {
            prefetch_for_write(batch.keys_.data());
            prefetch_for_write(batch.values_.data());
        }
        if constexpr (is_paced)
            if (self.pace_.has_cap())
                self.pace_.came_home(batch.region_, self.supply_.number_of(batch), clock::timestamp());
        self.supply_.give_back(batch, lane.held--);
        if (!lane.waiting_for_room.empty()) self.wake_waiting(lane);
        self.look_for_rest();
    }

    void look_for_rest() {
        if (at_rest()) [[unlikely]]
            be_at_rest();
    }
    [[gnu::noinline]] void be_at_rest() {
        settle();
        while (Task* const waiting = waiting_for_rest_.take()) worker_.append(*waiting);
    }

    Worker& worker_;
    Batched<Regions>& table_;
    Regions const& regions_;
    NodeVector<Lane> lanes_; // by region
    BatchSupply<OwnBatch> supply_;
    [[no_unique_address]] Pace pace_;
    [[no_unique_address]] Completed completed_;
    std::size_t refused_ = none; // the region without room, after a refusal
    TaskList waiting_for_rest_;
    Idle idle_{*this};
    DescheduledOwner absence_{clock::to_cycles(microseconds(100))}; // no task is longer than 50
    BeforeChange before_change_{*this};
    typename ViewOf<Regions>::Type const* view_ = nullptr; // the core's, where owners change
};

} // namespace mxk
