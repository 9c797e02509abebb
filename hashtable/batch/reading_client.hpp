// A core's way to a table whose lines any core may read while their owner changes them (Bucketed, LinearBuckets): finds
// do not travel. This core reads the owner's memory itself, some dozen keys at a time, so that their lines are on their
// way together; only what changes the table is sent, as a BatchClient's operations are. It has a BatchClient's
// submit(), submit_each() (whose request(i) may be called several times for an i), when_room(), flush() and
// when_at_rest(), but that
//
//     struct Completed {
//         void operator()(Worker&, auto const& batch) const;    // of what has travelled
//         void found(std::uint64_t key, std::uint64_t value, Cookie) const;    // of what was read here
//         void not_found(std::uint64_t key, Cookie) const;
//     };
//
// The last two are called from within submit(), flush() and when_at_rest(), or when the core has nothing else to do;
// they may not submit.
//
// Order: a client's changes of one key, and its finds before, between and behind them, take effect in the order of
// submission. (Of two finds with no change of its own between them, either may be the first; a BatchClient's are in
// order, too.) So a find travels behind what this client has under way on the same key, or on one that is counted with
// it; and before a change of a key is sent, finds of that key that are not done yet are done.
//
//     find 7        read here
//     erase 7       find 7 is done first, then it is sent
//     find 7        is sent, too, as long as the erase is not home
//     find 8        read here, whatever else is under way
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "hashtable/fraction.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// One whose first line any core may read at any time, by a key's position.
template <typename Table>
concept ReadableTable = requires(Table const& table, std::uint64_t key, typename Table::Position const& position) {
    { table.position(key) } -> std::same_as<typename Table::Position>;
    table.prefetch(position);
    table.prefetch_behind_to_read(position);
    { table.read_first(position).value } -> std::convertible_to<std::uint64_t>;
    { table.read(position) } -> std::same_as<std::optional<std::uint64_t>>;
};

// Where a client looks keys up: in place, or, by the share of its operations that change the table, there or at the
// owner. Measured on two cores: with one change in twenty reading in place is faster, with one in five both are alike,
// with one in two the owner is faster.
enum class ClientReads : std::uint8_t { InPlace, ByShare };

// All functions: the core of the client's worker. None blocks; a find may poll until an owner has ended an erase, or
// the division, that is under way in its bucket.
template <typename Regions, typename Completed, typename Cookie = NoCookie, typename Pace = NoPace>
class ReadingClient {
    using Table = std::remove_cvref_t<decltype(std::declval<Regions const&>().to_read(0))>;
    static_assert(ReadableTable<Table>);
    struct CameHome {
        ReadingClient& client;
        void operator()(Worker& worker, CookieBatch<Cookie> const& batch) const { client.came_home(worker, batch); }
    };
    using Client = BatchClient<Regions, CameHome, Cookie, Pace>;

  public:
    using Request = typename Client::Request;

    // As BatchClient's, and 20 KiB.
    struct Memory {
        static Result<Memory> create(Batched<Regions> const& table, NodeId node,
                                     std::size_t spare = Client::default_spare) {
            return with_counters(Client::Memory::create(table, node, spare), node);
        }
        static Result<Memory> create_paced(Batched<Regions> const& table, NodeId node, Cycles cap) {
            return with_counters(Client::Memory::create_paced(table, node, cap), node);
        }

        typename Client::Memory batches;
        NodeArray<std::uint32_t> sent;
        NodeArray<std::uint8_t> finds;

      private:
        static Result<Memory> with_counters(Result<typename Client::Memory> batches, NodeId node) {
            if (!batches) return batches.error();
            return Memory{std::move(batches).value(),
                          MXK_TRY(NodeArray<std::uint32_t>::create_zeroed(counted_apart, node)),
                          MXK_TRY(NodeArray<std::uint8_t>::create_zeroed(counted_apart, node))};
        }
    };

    ReadingClient(Worker& worker, Batched<Regions>& table, Memory memory, Completed completed = {},
                  ClientReads reads = ClientReads::InPlace)
        : reads_(reads)
        , worker_(worker)
        , regions_(table.regions())
        , sent_of_(std::move(memory.sent))
        , finds_of_(std::move(memory.finds))
        , completed_(std::move(completed))
        , client_(worker, table, std::move(memory.batches), CameHome{*this}) {}
    ReadingClient(ReadingClient const&) = delete;
    ReadingClient& operator=(ReadingClient const&) = delete;
    ~ReadingClient() { expect(at_rest(), "a client goes when all its operations have ended, and not before"); }

    [[nodiscard]] bool submit(Operation operation, std::uint64_t key, std::uint64_t value, Cookie cookie = {}) {
        return submit_each(1, [&](std::size_t) { return Request{operation, key, value, cookie}; }) == 1;
    }
    [[gnu::always_inline]] std::size_t submit_each(std::size_t count, auto request) {
        std::size_t done = 0;
        std::size_t all_sent = 0;
        std::size_t at = finds_.next; // here, so that it stays in a register
        while (done < count) {
            Request const next = request(done);
            if (next.operation == Operation::Find && may_be_here(next.key)) [[likely]] {
                find_here(at, next.key, next.cookie);
                at = (at + 1) % under_way;
                ++done;
                continue;
            }
            has_finds_ = has_finds_ || done != all_sent;
            finds_.next = at;
            std::size_t const sent = has_finds_ ? send(next) : send_run(next.operation, done, count, request);
            done += sent;
            all_sent += sent;
            at = finds_.next;
            if (sent == 0) [[unlikely]]
                break;
        }
        has_finds_ = has_finds_ || done != all_sent;
        finds_.next = at;
        if (has_finds_ && !idle_.is_asked) [[unlikely]]
            ask_for_idle();
        finds_here_ += done - all_sent;
        if ((operations_ += done) >= operations_per_choice) [[unlikely]]
            choose();
        return done;
    }
    // How many finds did not travel, so far.
    [[nodiscard]] std::uint64_t finds_here() const { return finds_here_; }

    void when_room(Task& task) { client_.when_room(task); }
    void flush() {
        finish_finds();
        client_.flush();
    }
    [[nodiscard]] bool at_rest() const { return is_empty() && !rest_.is_asked; }
    void when_at_rest(Task& task) {
        waiting_for_rest_.append(task);
        look_for_rest();
    }

  private:
    using Position = typename Table::Position;
    // Of each find its table, null where there is none; part by part, so that each is one store.
    template <std::size_t capacity> struct Ring {
        std::array<Table const*, capacity> tables{};
        std::array<Position, capacity> positions;
        std::array<std::uint64_t, capacity> keys{};
        std::array<Cookie, capacity> cookies;
        std::size_t next = 0; // the oldest one, if the ring is full
    };
    // Finds whose lines are on their way, and those that wait for a line behind their bucket's first one.
    static constexpr std::size_t under_way = 64;
    static constexpr std::size_t behind_at_once = 8;

    // Its own tasks: what the worker runs when it has nothing else to do, and what the client of batches appends when
    // it is at rest.
    struct Own : Task {
        Own(ReadingClient& its_client, Body its_body)
            : Task(its_body)
            , client(its_client) {}
        ReadingClient& client;
        bool is_asked = false; // then it is waited for
    };
    static void become_idle(Worker&, Task& task) {
        ReadingClient& self = static_cast<Own&>(task).client;
        self.finish_finds();
        if (self.sent_ == 0 && self.state_ == State::Counting) self.state_ = State::Free;
        self.idle_.is_asked = false;
        self.look_for_rest();
    }
    [[nodiscard]] bool is_empty() const { return !has_finds_ && !idle_.is_asked && client_.at_rest(); }
    void look_for_rest() {
        if (waiting_for_rest_.empty() || rest_.is_asked) return;
        finish_finds();
        if (idle_.is_asked) return; // which looks again
        rest_.is_asked = true;
        client_.when_at_rest(rest_);
    }
    // What came home last may have brought others under way.
    static void be_at_rest(Worker& worker, Task& task) {
        ReadingClient& self = static_cast<Own&>(task).client;
        self.rest_.is_asked = false;
        if (!self.is_empty()) return self.look_for_rest();
        while (Task* const waiting = self.waiting_for_rest_.take()) worker.append(*waiting);
    }

    // What is under way is counted by keys, as far as these are counted apart; finds only from when the client changes
    // something until it is idle.
    enum class State : std::uint8_t {
        Free,     // there is nothing but finds
        Counting, // finds are done here that have nothing of their keys before them
        Away,     // no find is begun here
    };
    // Every so often a client chooses anew; it stays as it is between the two shares, in percent.
    static constexpr std::uint64_t operations_per_choice = 4096;
    static constexpr std::uint64_t away_from = 35;
    static constexpr std::uint64_t here_below = 25;
    [[gnu::noinline]] void choose() {
        std::uint64_t const share = changes_ * 100 / operations_;
        operations_ = 0;
        changes_ = 0;
        if (reads_ == ClientReads::InPlace) return;
        if (share >= away_from && state_ == State::Free) finish_finds(); // which are not counted
        if (share >= away_from)
            state_ = State::Away;
        else if (share < here_below && state_ == State::Away)
            state_ = State::Counting;
    }
    static constexpr unsigned counted_bits = 12;
    static constexpr std::size_t counted_apart = std::size_t{1} << counted_bits;
    [[nodiscard]] static std::size_t counted_at(std::uint64_t key) {
        return static_cast<std::size_t>(key * golden_ratio >> (64 - counted_bits));
    }
    [[nodiscard]] [[gnu::always_inline]] bool may_be_here(std::uint64_t key) {
        if (state_ == State::Free) [[likely]]
            return true;
        std::size_t const at = counted_at(key);
        if (sent_of_[at] != 0 || state_ == State::Away) return false;
        ++finds_of_[at];
        return true;
    }
    [[gnu::always_inline]] void find_ended(std::uint64_t key) {
        if (state_ != State::Free) [[unlikely]]
            --finds_of_[counted_at(key)];
    }

    // How many were taken: one, or none.
    [[nodiscard]] [[gnu::noinline]] std::size_t send(Request const& request) {
        if (state_ == State::Free) {
            finish_finds();
            state_ = State::Counting;
        }
        std::size_t const at = counted_at(request.key);
        if (finds_of_[at] != 0) [[unlikely]]
            finish_finds_of(request.key);
        if (!client_.submit(request.operation, request.key, request.value, request.cookie)) return 0;
        ++sent_of_[at];
        ++sent_;
        changes_ += request.operation == Operation::Find ? 0 : 1;
        return 1;
    }
    // The same without finds under way: those from `from` on that are of this kind.
    [[nodiscard]] [[gnu::always_inline]] std::size_t send_run(Operation operation, std::size_t from, std::size_t count,
                                                              auto request) {
        if (state_ == State::Free) state_ = State::Counting;
        if (overwrites(operation)) return send(request(from));
        std::size_t end = from + 1;
        if (operation != Operation::Find || state_ == State::Away)
            while (end < count && request(end).operation == operation) ++end;
        std::size_t const taken = client_.submit_each(end - from, [&](std::size_t i) { return request(from + i); });
        for (std::size_t i = 0; i < taken; ++i) ++sent_of_[counted_at(request(from + i).key)];
        sent_ += taken;
        changes_ += operation == Operation::Find ? 0 : taken;
        return taken;
    }
    void came_home(Worker& worker, CookieBatch<Cookie> const& batch) {
        for (std::size_t at = 0; at < batch.size(); ++at) --sent_of_[counted_at(batch.key(at))];
        sent_ -= batch.size();
        completed_(worker, batch);
    }

    [[gnu::always_inline]] void find_here(std::size_t at, std::uint64_t key, Cookie cookie) {
        Table const& table = regions_.to_read(key);
        auto const position = table.position(key);
        table.prefetch(position);
        if (at % burst == 0) finish_burst(at);
        finds_.tables[at] = &table;
        finds_.positions[at] = position;
        finds_.keys[at] = key;
        finds_.cookies[at] = cookie;
    }
    // So many finds together, since nothing of one depends on another: those from `at` on.
    static constexpr std::size_t burst = 8;
    [[gnu::noinline]] void finish_burst(std::size_t at) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < burst; ++i)
            if (finds_.tables[at + i] != nullptr) [[likely]]
                finish_find(at + i);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < burst; ++i) finds_.tables[at + i] = nullptr;
    }
    [[gnu::always_inline]] void finish_find(std::size_t at) {
        using Seen = typename Table::Seen;
        auto const reading = finds_.tables[at]->read_first(finds_.positions[at]);
        std::uint64_t const key = finds_.keys[at];
        if (reading.seen == Seen::There) [[likely]] {
            find_ended(key);
            return completed_.found(key, reading.value, finds_.cookies[at]);
        }
        if (reading.seen != Seen::Absent) return look_behind(at);
        find_ended(key);
        completed_.not_found(key, finds_.cookies[at]);
    }
    [[gnu::noinline]] void look_behind(std::size_t find) {
        std::size_t const at = behind_.next;
        if (behind_.tables[at] != nullptr) finish_behind(at);
        finds_.tables[find]->prefetch_behind_to_read(finds_.positions[find]);
        behind_.tables[at] = finds_.tables[find];
        behind_.positions[at] = finds_.positions[find];
        behind_.keys[at] = finds_.keys[find];
        behind_.cookies[at] = finds_.cookies[find];
        behind_.next = (at + 1) % behind_at_once;
    }
    void finish_behind(std::size_t at) {
        std::uint64_t const key = behind_.keys[at];
        find_ended(key);
        if (auto const value = behind_.tables[at]->read(behind_.positions[at]))
            completed_.found(key, *value, behind_.cookies[at]);
        else
            completed_.not_found(key, behind_.cookies[at]);
    }
    [[gnu::noinline]] void finish_finds() {
        finish_all(behind_, [this](std::size_t at) { finish_behind(at); });
        finish_all(finds_, [this](std::size_t at) { finish_find(at); });
        finish_all(behind_, [this](std::size_t at) { finish_behind(at); }); // of these
        has_finds_ = false;
    }
    // Only those of this key, which is mostly one whose line is there.
    [[gnu::noinline]] void finish_finds_of(std::uint64_t key) {
        auto const finish = [key](auto& ring, auto finish_one) {
            for (std::size_t at = 0; at < ring.keys.size(); ++at)
                if (ring.keys[at] == key && ring.tables[at] != nullptr) {
                    finish_one(at);
                    ring.tables[at] = nullptr;
                }
        };
        finish(finds_, [this](std::size_t at) { finish_find(at); });
        finish(behind_, [this](std::size_t at) { finish_behind(at); });
    }
    void finish_all(auto& ring, auto finish) {
        for (std::size_t i = 0; i < ring.tables.size(); ++i) {
            std::size_t const at = (ring.next + i) % ring.tables.size();
            if (ring.tables[at] == nullptr) continue;
            finish(at);
            ring.tables[at] = nullptr;
        }
        ring.next = 0;
    }
    [[gnu::noinline]] void ask_for_idle() {
        idle_.is_asked = true;
        if (client_.has_cap())
            worker_.when_round(idle_);
        else
            worker_.when_idle(idle_);
    }

    ClientReads reads_;
    Worker& worker_;
    Regions const& regions_;
    std::size_t sent_ = 0;             // and not home yet
    NodeArray<std::uint32_t> sent_of_; // of these, by key
    NodeArray<std::uint8_t> finds_of_; // under way
    State state_ = State::Free;
    bool has_finds_ = false;
    std::uint64_t finds_here_ = 0;
    std::uint64_t operations_ = 0; // since the last choice
    std::uint64_t changes_ = 0;    // of these
    [[no_unique_address]] Completed completed_;
    Ring<under_way> finds_;
    Ring<behind_at_once> behind_;
    Own idle_{*this, &ReadingClient::become_idle};
    Own rest_{*this, &ReadingClient::be_at_rest};
    TaskList waiting_for_rest_;
    Client client_;
};

} // namespace mxk
