// The instruction queue (thesis section 4): operations and keys made before the run and worked off by the tasks. Each
// core has a slice of it, on its node and line-aligned, with a node ready for every insert. Finds and erases use only
// keys that were inserted earlier in the same slice: since all operations of a slice on one key take the same way from
// core to core and queues are FIFO per sender, each one's result is known beforehand, and is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/mix.hpp"
#include "hashtable/chained.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

enum class Operation : std::uint8_t { Insert, Find, Erase };

// What must be true of an instruction's key when all is done.
enum class AtEnd : std::uint8_t { Present, Absent, SaidElsewhere };

struct Instruction {
    std::uint64_t key;
    Operation operation;
    bool expected; // its result
    AtEnd at_end;
};
static_assert(sizeof(Instruction) == 16);

// splitmix64 (Steele, Lea, Flood 2014): good enough to shuffle with, and its output function is a bijection.
class Random {
  public:
    explicit Random(std::uint64_t seed)
        : state_(seed) {}
    std::uint64_t next() { return mixed(state_ += 0x9e37'79b9'7f4a'7c15); }
    // Below `limit`, which must not be 0.
    std::uint64_t below(std::uint64_t limit) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * limit) >> 64);
    }

    static constexpr std::uint64_t mixed(std::uint64_t value) {
        value = (value ^ value >> 30) * 0xbf58'476d'1ce4'e5b9;
        value = (value ^ value >> 27) * 0x94d0'49bb'1331'11eb;
        return value ^ value >> 31;
    }

  private:
    std::uint64_t state_;
};

// Keys that look random, are all different and never 0: a bijection of numbers that never reach 0.
class KeySequence {
  public:
    static constexpr std::uint64_t most_keys = std::uint64_t{1} << 62;

    explicit KeySequence(std::uint64_t seed)
        : start_(std::uint64_t{1} << 63 | Random::mixed(seed) >> 2) {}
    // `index` < most_keys.
    std::uint64_t operator()(std::uint64_t index) const { return Random::mixed(start_ + index); }

  private:
    std::uint64_t start_;
};

// One core's part. Made by its core, step by step, because no task should be long.
class Slice {
  public:
    static Result<Slice> create(std::size_t count, std::uint64_t first_key, NodeId node);

    [[nodiscard]] std::span<Instruction const> instructions() const { return instructions_.span(); }
    [[nodiscard]] std::size_t size() const { return instructions_.size(); }
    // The node for the insert at this place of the slice.
    [[nodiscard]] ChainNode& node(std::size_t at) const { return nodes_[at]; }

    // Inserts of keys first_key, first_key + 1, ... of the sequence at [from, to).
    void fill_inserts(std::size_t from, std::size_t to, KeySequence const& keys);
    // Turns the inserts at [from, to) into operations on the same keys, in random order. Ascending ranges from 0 on.
    void turn_into(Operation operation, std::size_t from, std::size_t to, Random& random);
    // Random operations in the shares of `mix`, where there is a key to find or to erase; else an insert.
    void fill_mixed(std::size_t from, std::size_t to, KeySequence const& keys, Mix const& mix, Random& random);

  private:
    Slice(NodeArray<Instruction> instructions, NodeArray<ChainNode> nodes, std::uint64_t first_key)
        : instructions_(std::move(instructions))
        , nodes_(std::move(nodes))
        , first_key_(first_key) {}

    void put_insert(std::size_t at, KeySequence const& keys);
    void put_find_or_erase(std::size_t at, Operation operation, Random& random);

    NodeArray<Instruction> instructions_;
    NodeArray<ChainNode> nodes_;
    NodeArray<std::uint32_t> live_; // for mixed: which inserts' keys are in the table at this point
    std::size_t live_count_ = 0;
    std::uint64_t first_key_;
};

} // namespace mxk::bench
