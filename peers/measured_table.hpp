// What a table has to offer in order to be measured as a peer, and the loop that measures it: every result is compared
// with the one that is known beforehand, and every value found with the one that was inserted.
//
//     class SomeTable {
//         SomeTable(std::size_t capacity, Cores cores);
//         std::size_t size();
//         class Session { ... };      // a core's access, for one piece of its slice
//     };
//
// It may have `make_ready(core, inserts)`: before each measured phase, so many keys will be inserted by this core.
//
// A session is where a library wants to know its threads. It may prefetch: then it is told each key some instructions
// ahead.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/frame/ready_memory.hpp"
#include "bench/workload/operation_start.hpp"
#include "peers/peer.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Session>
concept Accessing = requires(Session& session, std::uint64_t key, std::uint64_t value) {
    { session.insert(key, value) } -> std::same_as<bool>;
    { session.find(key) } -> std::same_as<std::optional<std::uint64_t>>;
};

template <typename Session>
concept Erasing = requires(Session& session, std::uint64_t key) {
    { session.erase(key) } -> std::same_as<bool>;
};

// As hashtable/value_writes.hpp says; upsert() is true if the key was inserted, modify() adds to the value.
template <typename Session>
concept Overwriting = requires(Session& session, std::uint64_t key, std::uint64_t value) {
    { session.update(key, value) } -> std::same_as<bool>;
    { session.upsert(key, value) } -> std::same_as<bool>;
    { session.modify(key, value) } -> std::same_as<std::optional<std::uint64_t>>;
};

template <typename Session>
concept Prefetching = requires(Session& session, std::uint64_t key) {
    session.prefetch(key);
};

template <typename Table>
concept Measurable = std::constructible_from<Table, std::size_t, Cores> &&
    std::constructible_from<typename Table::Session, Table&, std::size_t> && Accessing<typename Table::Session> &&
    requires(Table& table) {
    { table.size() } -> std::convertible_to<std::size_t>;
};

// The share of `capacity` that no core's slice exceeds.
constexpr std::size_t share_of(std::size_t capacity, Cores cores) {
    return (capacity + cores.size() - 1) / cores.size();
}

// Slots, or buckets, of a table that is to grow, as for MXK's.
constexpr std::size_t growing_start = 1024;

// The memory that such a table asks for while it is measured, found beforehand as for MXK's: its first base.
struct GrowthMemory {
    GrowthMemory(std::size_t capacity, Cores cores) {
        constexpr std::size_t max_bytes_per_key = 96; // nodes, and the tables that it grows out of
        std::vector<Owner> owners;
        owners.reserve(cores.size());
        for (CoreId const core : cores) owners.push_back({core, workers::of(core).node()});
        make_memory_ready(share_of(capacity, cores) * max_bytes_per_key, owners);
    }
};

template <Measurable Table> class MeasuredTable final : public PeerTable {
  public:
    MeasuredTable(std::size_t capacity, Cores cores)
        : table_(capacity, cores) {}

    Result<std::uint64_t> run(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                              Histogram* latency) override {
        try {
            Session session(table_, core);
            return latency == nullptr ? run_in(session, slice, from, to)
                                      : run_timed(session, slice, from, to, *latency);
        } catch (std::exception const& failure) {
            return Error(failure.what());
        }
    }

    Result<void> prepare([[maybe_unused]] std::size_t core,
                         [[maybe_unused]] std::span<Instruction const> slice) override {
        if constexpr (requires { table_.make_ready(core, slice.size()); }) {
            auto const inserts = std::ranges::count_if(slice, [](Instruction const& it) {
                return (it.operation == Operation::Insert || it.operation == Operation::Upsert) && it.expected;
            });
            try {
                table_.make_ready(core, static_cast<std::size_t>(inserts));
            } catch (std::exception const& failure) {
                return Error(failure.what());
            }
        }
        return {};
    }

    Result<Taken> run_shared(std::size_t core, std::span<Instruction const> all, std::atomic<std::size_t>& head,
                             std::size_t max) override {
        try {
            Session session(table_, core);
            Taken taken{0, 0};
            for (; taken.instructions < max; ++taken.instructions) {
                // relaxed: the instructions were made before; each number comes once, whatever the order
                std::size_t const at = head.fetch_add(1, std::memory_order_relaxed);
                if (at >= all.size()) break;
                taken.wrong += operate(session, all[at]) ? 0U : 1U;
            }
            return taken;
        } catch (std::exception const& failure) {
            return Error(failure.what());
        }
    }

    Result<void> find_all(std::size_t core, std::span<std::uint64_t const> keys,
                          std::span<std::optional<std::uint64_t>> values) override {
        try {
            Session session(table_, core);
            for (std::size_t i = 0; i < keys.size(); ++i) values[i] = session.find(keys[i]);
            return {};
        } catch (std::exception const& failure) {
            return Error(failure.what());
        }
    }

    std::size_t size() override { return table_.size(); }

  private:
    using Session = typename Table::Session;

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
        if constexpr (Erasing<Session>) return session.erase(instruction.key) == instruction.expected;
        return false;
    }
    [[gnu::noinline]] static bool overwrite([[maybe_unused]] Session& session, Instruction const& instruction) {
        if constexpr (Overwriting<Session>) return overwrite_in(session, instruction);
        return false;
    }
    static bool overwrite_in(Session& session, Instruction const& instruction) {
        std::uint64_t const key = instruction.key;
        std::uint64_t const operand = operand_of(instruction);
        if (instruction.operation == Operation::Update) return session.update(key, operand) == instruction.expected;
        if (instruction.operation == Operation::Upsert) return session.upsert(key, operand) == instruction.expected;
        std::optional<std::uint64_t> const before = session.modify(key, operand);
        return before.has_value() == instruction.expected && (!before || is_value_of(key, *before, instruction));
    }

    Table table_;
};

template <Measurable Table> std::unique_ptr<PeerTable> create_table(std::size_t capacity, Cores cores) {
    return std::make_unique<MeasuredTable<Table>>(capacity, cores);
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

} // namespace mxk::bench
