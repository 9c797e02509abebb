// A table that grows and its model, the standard's map: every operation has to come to the same in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "tests/unit/sequential/optimised/any_table.hpp"

namespace mxk::test {

// Of 100 operations, how many are inserts and erases; the others look for keys.
struct OperationMix {
    unsigned inserts;
    unsigned erases;
};

class GrowingTable {
  public:
    GrowingTable(TableKind const& kind, TableSize size, HashPrefix prefix = {}, ChosenHash const& hash = {});
    ~GrowingTable();
    GrowingTable(GrowingTable const&) = delete;
    GrowingTable& operator=(GrowingTable const&) = delete;

    // The numbers of `count` keys that belong to this table: those whose hashes begin with its prefix.
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::size_t count) const;

    // What the table said. Full is only right if the key is not there; the test says when it may be at all.
    Insert insert(std::uint64_t number);
    void erase(std::uint64_t number);
    void find(std::uint64_t number) const;
    // The operations that overwrite, of tables of values.
    Insert upsert(std::uint64_t number);
    void update(std::uint64_t number);
    void modify(std::uint64_t number);

    // Random operations, of which none may be Full; work() is done after one of `operations_per_work`.
    void run(std::size_t operations, std::vector<std::uint64_t> const& numbers, OperationMix mix,
             unsigned operations_per_work = 64);
    void finish_work() const;

    // The table has what the model has, by every way to look at it.
    void check_all() const;

    std::mt19937_64 random{1};
    std::unordered_map<std::uint64_t, std::uint64_t> model; // items by number
    std::unique_ptr<AnyTable> table;

  private:
    Insert insert_or_upsert(std::uint64_t number);
    void find_or_overwrite(std::uint64_t number);

    bool has_values_;
    HashPrefix prefix_;
};

} // namespace mxk::test
