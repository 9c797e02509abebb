// One core's part of the instructions, and of the keys: as many keys as instructions, and no other slice has any of
// them. Since all operations of a slice on one key take the same way from core to core and queues are FIFO per sender,
// each one's result is known when it is made. Made by its core, step by step, because no task should be long: each
// function below is called for ascending ranges [from, to) from 0 to size().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/keys.hpp"
#include "bench/workload/phases.hpp"
#include "bench/workload/random.hpp"
#include "bench/workload/zipf.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

class Slice {
  public:
    // `room`: where the instructions go. The keys are those of the sequence from `first_key` on. What else there is to
    // remember lies on `node`. Errors: no memory.
    static Result<Slice> create(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key, NodeId node);
    // Before fill_mixed() is used. Errors: no memory.
    Result<void> prepare_mixed(NodeId node);

    [[nodiscard]] std::span<Instruction const> instructions() const { return instructions_; }
    [[nodiscard]] std::size_t size() const { return instructions_.size(); }
    [[nodiscard]] std::uint64_t key(std::size_t at) const { return keys_(first_key_ + at); }
    // Whether key `at` must be in the table when all instructions made so far have run.
    [[nodiscard]] bool is_live(std::size_t at) const { return (live_[at / word_bits] >> at % word_bits & 1) != 0; }
    [[nodiscard]] std::uint64_t live_count() const { return live_count_; }

    // For a table that is empty: an insert of every key.
    void fill_inserts(std::size_t from, std::size_t to);
    // For a table that is empty: random operations in the shares of `mix`, where there is a key to find or to erase;
    // else an insert.
    void fill_mixed(std::size_t from, std::size_t to, Mix const& mix, Random& random);
    // Behind fill_inserts(): the same keys in random order, to be found or erased.
    void turn_into(Operation operation, std::size_t from, std::size_t to, Random& random);
    // Behind anything, or with a table that is empty, in which case forget() comes first: the phase's operations on
    // keys that are drawn by their rank. Which key has which rank is random, and the same for all phases of a run.
    void draw(std::size_t from, std::size_t to, Mix const& phase, Zipf const& ranks, Random& random);
    void forget();

  private:
    static constexpr std::size_t word_bits = 64;

    Slice(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key)
        : instructions_(room)
        , keys_(keys)
        , first_key_(first_key)
        , of_rank_(room.size(), room.empty() ? 0 : keys(first_key)) {} // behind the last there need be none

    void put_find_or_erase(std::size_t at, Operation operation, Random& random);
    void put_drawn(std::size_t at, Operation operation, std::size_t drawn);
    void set_live(std::size_t at, bool live);

    std::span<Instruction> instructions_;
    KeySequence keys_;
    std::uint64_t first_key_;
    Permutation of_rank_;
    NodeArray<std::uint64_t> live_; // a bit for each key
    std::uint64_t live_count_ = 0;  // bits that are set
    // For fill_mixed() only: the live keys, in no order, so that one can be picked.
    NodeArray<std::uint32_t> picks_;
    std::size_t pick_count_ = 0;
};

} // namespace mxk::bench
