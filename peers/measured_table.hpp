// What a table has to offer in order to be measured as a peer, and the loop that measures it: every result is compared
// with the one that is known beforehand, and every value found with the one that was inserted.
//
//     class SomeTable {
//         std::size_t size();
//         bool insert(std::uint64_t key, std::uint64_t value);
//         std::optional<std::uint64_t> find(std::uint64_t key);
//         bool erase(std::uint64_t key);                                    // the rest only where it can
//         bool update(std::uint64_t key, std::uint64_t value);
//         bool upsert(std::uint64_t key, std::uint64_t value);              // true if the key was inserted
//         std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend);
//         void prefetch(std::uint64_t key);                                 // told each key some instructions ahead
//         void make_ready(std::size_t core, std::size_t inserts);           // this core inserts so many in the next
//         phase
//     };
//
// A library that wants to know its threads has them in a class Session(SomeTable&, core): a core's access for one piece
// of its slice, which then has all but size() and make_ready(); so has some_table[core], where each core has a part.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/frame/ready_memory.hpp"
#include "bench/workload/operation_start.hpp"
#include "peers/peer.hpp"
#include "peers/table_memory.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// What a table has of its values, where their words are written in place by atomic operations: of word_of(key), null
// where it is not there, and insert().
template <typename Table> class AtomicValues {
  public:
    std::optional<std::uint64_t> find(std::uint64_t key) {
        std::uint64_t* const word = self().word_of(key);
        if (word == nullptr) return std::nullopt;
        return std::atomic_ref(*word).load(std::memory_order_acquire);
    }
    bool update(std::uint64_t key, std::uint64_t value) {
        std::uint64_t* const word = self().word_of(key);
        if (word != nullptr) std::atomic_ref(*word).store(value, std::memory_order_release);
        return word != nullptr;
    }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        return !update(key, value) && (self().insert(key, value) || !update(key, value));
    }
    std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
        std::uint64_t* const word = self().word_of(key);
        if (word == nullptr) return std::nullopt;
        return std::atomic_ref(*word).fetch_add(addend, std::memory_order_acq_rel);
    }

  private:
    friend Table;
    AtomicValues() = default;
    Table& self() { return static_cast<Table&>(*this); }
};

// The same of change(key, function): replaces a value by that of the function, and gives the former one, behind a lock.
template <typename Table> class LockedValues {
  public:
    bool update(std::uint64_t key, std::uint64_t value) {
        return self().change(key, [value](std::uint64_t) { return value; }).has_value();
    }
    std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
        return self().change(key, [addend](std::uint64_t before) { return before + addend; });
    }

  private:
    friend Table;
    LockedValues() = default;
    Table& self() { return static_cast<Table&>(*this); }
};

template <typename Session>
concept Prefetching = requires(Session& session, std::uint64_t key) {
    session.prefetch(key);
};

// The share of `capacity` that no core's slice exceeds.
constexpr std::size_t share_of(std::size_t capacity, Cores cores) {
    return (capacity + cores.size() - 1) / cores.size();
}

// Slots, or buckets, of a table that is to grow, as for MXK's.
constexpr std::size_t growing_start = 1024;

inline std::vector<Owner> owners_of(Cores cores) {
    std::vector<Owner> owners;
    owners.reserve(cores.size());
    for (CoreId const core : cores) owners.push_back({core, workers::of(core).node()});
    return owners;
}

// The memory that such a table asks for while it is measured, found beforehand as for MXK's: its first base.
struct GrowthMemory {
    GrowthMemory(std::size_t capacity, Cores cores) {
        constexpr std::size_t max_bytes_per_key = 96; // nodes, and the tables that it grows out of
        make_memory_ready(share_of(capacity, cores) * max_bytes_per_key, owners_of(cores));
    }
};

// What a piece is run with: the core's own part of the table, its session, or the table itself.
template <typename Table> decltype(auto) session_of(Table& table, [[maybe_unused]] std::size_t core) {
    if constexpr (requires { table[core]; })
        return (table[core]);
    else if constexpr (requires { typename Table::Session; })
        return typename Table::Session(table, core);
    else
        return (table);
}

template <typename Table> class MeasuredTable final : public PeerTable {
  public:
    template <typename... Arguments>
    explicit MeasuredTable(Arguments&&... arguments)
        : table_(std::forward<Arguments>(arguments)...) {}

    std::size_t size() override { return table_.size(); }

  private:
    void make_ready([[maybe_unused]] std::size_t core, [[maybe_unused]] std::span<Instruction const> slice) override {
        if constexpr (requires { table_.make_ready(core, slice.size()); }) {
            auto const inserts = std::ranges::count_if(slice, [](Instruction const& it) {
                return (it.operation == Operation::Insert || it.operation == Operation::Upsert) && it.expected;
            });
            table_.make_ready(core, static_cast<std::size_t>(inserts));
        }
    }
    std::uint64_t run_piece(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                            Histogram* latency) override {
        auto&& session = session_of(table_, core);
        return latency == nullptr ? run_in(session, slice, from, to) : run_timed(session, slice, from, to, *latency);
    }
    Taken take(std::size_t core, std::span<Instruction const> all, std::atomic<std::size_t>& head,
               std::size_t max) override {
        auto&& session = session_of(table_, core);
        Taken taken{0, 0};
        for (; taken.instructions < max; ++taken.instructions) {
            // relaxed: the instructions were made before; each number comes once, whatever the order
            std::size_t const at = head.fetch_add(1, std::memory_order_relaxed);
            if (at >= all.size()) break;
            taken.wrong += operate(session, all[at]) ? 0U : 1U;
        }
        return taken;
    }
    void look_up(std::size_t core, std::span<std::uint64_t const> keys, Values values) override {
        auto&& session = session_of(table_, core);
        for (std::size_t i = 0; i < keys.size(); ++i) values[i] = session.find(keys[i]);
    }

    using Session = std::remove_reference_t<decltype(session_of(std::declval<Table&>(), 0))>;

    // Instructions between the prefetch of a line and its use: about as many misses as a core can have under way.
    static constexpr std::size_t window = 16;

    static std::uint64_t run_in(Session& session, std::span<Instruction const> slice, std::size_t from,
                                std::size_t to) {
        std::uint64_t wrong = 0;
        for (std::size_t at = from; at < to; ++at) {
            prefetch(session, slice, at + window);
            wrong += operate(session, slice[at]) ? 0U : 1U;
        }
        return wrong;
    }

    static std::uint64_t run_timed(Session& session, std::span<Instruction const> slice, std::size_t from,
                                   std::size_t to, Histogram& latency) {
        std::array<OperationStart, window> starts; // of the operations whose lines are on their way
        starts.fill(OperationStart::now());
        std::uint64_t wrong = 0;
        for (std::size_t at = from; at < to; ++at) {
            OperationStart const now = OperationStart::now();
            OperationStart const start = Prefetching<Session> ? std::exchange(starts[at % window], now) : now;
            prefetch(session, slice, at + window);
            wrong += operate(session, slice[at]) ? 0U : 1U;
            start.count_end(latency);
        }
        return wrong;
    }

    [[gnu::always_inline]] static void prefetch([[maybe_unused]] Session& session, std::span<Instruction const> slice,
                                                std::size_t at) {
        if constexpr (Prefetching<Session>) session.prefetch(slice[std::min(at, slice.size() - 1)].key);
    }

    // Whether the result was the expected one.
    static bool operate(Session& session, Instruction const& instruction) {
        std::uint64_t const key = instruction.key;
        return dispatch(instruction.operation, [&](auto operation) {
            if constexpr (operation == Operation::Insert) {
                return session.insert(key, value_of(key)) == instruction.expected;
            } else if constexpr (operation == Operation::Find) {
                std::optional<std::uint64_t> const found = session.find(key);
                return found.has_value() == instruction.expected && (!found || is_value_of(key, *found, instruction));
            } else if constexpr (operation == Operation::Erase) {
                return erase(session, instruction);
            } else {
                return overwrite(session, instruction);
            }
        });
    }
    [[gnu::always_inline]] static bool erase([[maybe_unused]] Session& session, Instruction const& instruction) {
        if constexpr (requires { session.erase(instruction.key); })
            return session.erase(instruction.key) == instruction.expected;
        return false;
    }
    [[gnu::noinline]] static bool overwrite([[maybe_unused]] Session& session, Instruction const& instruction) {
        if constexpr (requires { session.upsert(instruction.key, instruction.key); }) {
            std::uint64_t const key = instruction.key;
            std::uint64_t const operand = operand_of(instruction);
            if (instruction.operation == Operation::Update) return session.update(key, operand) == instruction.expected;
            if (instruction.operation == Operation::Upsert) return session.upsert(key, operand) == instruction.expected;
            std::optional<std::uint64_t> const before = session.modify(key, operand);
            return before.has_value() == instruction.expected && (!before || is_value_of(key, *before, instruction));
        }
        return false;
    }

    Table table_;
};

template <typename Table, typename... Arguments> std::unique_ptr<PeerTable> measured(Arguments&&... arguments) {
    return std::make_unique<MeasuredTable<Table>>(std::forward<Arguments>(arguments)...);
}
// For a peer's `create`: of a table that is made for so many keys and cores.
template <typename Table> std::unique_ptr<PeerTable> create_table(std::size_t capacity, Cores cores) {
    return measured<Table>(capacity, cores);
}

// The same of one that begins with so many keys, slots or buckets and grows: the memory that it asks for is there.
template <typename Table, std::size_t start>
std::unique_ptr<PeerTable> create_growing(std::size_t capacity, Cores cores) {
    GrowthMemory const memory(capacity, cores);
    return measured<Table>(start, cores);
}
constexpr Peer table_peer(std::string_view name, std::string_view library, std::string_view setup,
                          decltype(Peer::create) create) {
    return {.name = name, .library = library, .setup = setup, .create = create};
}

// Which of many shards a key belongs to, for tables that take one writer at a time: by the high bits of the key, which
// look random; the low ones choose the place inside a shard.
class Shards {
  public:
    // So many for each core that two cores seldom want the same one, rounded up to a power of two.
    static constexpr std::size_t per_core = 64;

    explicit Shards(std::size_t cores)
        : bits_(static_cast<int>(std::bit_width(cores * per_core - 1))) {}

    [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }
    [[nodiscard]] std::size_t of(std::uint64_t key) const { return key >> (64 - bits_); }

    // Keys that one of `count()` shards gets of `keys` that are spread at random: the mean and eight deviations.
    [[nodiscard]] std::size_t max_keys(std::size_t keys) const {
        double const mean = static_cast<double>(keys) / static_cast<double>(count());
        return static_cast<std::size_t>(mean + 8 * std::sqrt(mean)) + 8;
    }

  private:
    int bits_;
};

// Many tables, each behind a lock of its own. A part is made for so many keys or slots, in an arena, and has lock(),
// unlock(), insert(), find(), erase(), upsert(), change() and size(); and says whether its readers take the lock, too.
template <typename Part> class Sharded : public LockedValues<Sharded<Part>> {
  public:
    // `ready`: bytes of the arena for each core; `room_of`: of the shards, how large to make each.
    template <typename RoomOf>
    Sharded(Cores cores, std::size_t ready, RoomOf room_of)
        : shards_(cores.size())
        , arena_(cores, ready)
        , parts_(value_or_throw(NodeVector<Part>::create(shards_.count(), workers::of(cores.front()).node()))) {
        for (std::size_t i = 0; i < shards_.count(); ++i) parts_.emplace(room_of(shards_), arena_);
    }

    std::size_t size() {
        std::size_t sum = 0;
        for (Part& part : parts_) sum += part.size();
        return sum;
    }
    bool insert(std::uint64_t key, std::uint64_t value) {
        return locked(key, [&](Part& part) { return part.insert(key, value); });
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        if constexpr (!Part::locks_readers) return parts_[shards_.of(key)].find(key);
        return locked(key, [&](Part& part) { return part.find(key); });
    }
    bool erase(std::uint64_t key) {
        return locked(key, [&](Part& part) { return part.erase(key); });
    }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        return locked(key, [&](Part& part) { return part.upsert(key, value); });
    }
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        return locked(key, [&](Part& part) { return part.change(key, change); });
    }

  private:
    template <typename Function> [[gnu::always_inline]] auto locked(std::uint64_t key, Function function) {
        Part& part = parts_[shards_.of(key)];
        std::lock_guard const guard(part);
        return function(part);
    }

    Shards shards_;
    TableArena arena_;
    NodeVector<Part> parts_;
};

} // namespace mxk::bench
