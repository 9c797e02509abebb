// A standalone table, and walks whose operation is known at run time, for the tests of chain_walk.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashtable/layout/chain_walk.hpp"
#include "hashtable/modulo.hpp"

namespace mxk::test {

using WalkedTable = Chained<Modulo>;
using Walk = ChainWalk<WalkedTable>;
static_assert(sizeof(Walk) == 24, "three words, so that a task with a walk in it is one cache line");

constexpr bool brings_node(Operation operation) {
    return operation == Operation::Insert || operation == Operation::Upsert;
}

struct StandaloneTable {
    explicit StandaloneTable(std::size_t count)
        : buckets(count)
        , table(buckets, Modulo(count)) {}

    // The chain of a bucket that nobody holds.
    [[nodiscard]] std::vector<std::uint64_t> chain(std::size_t bucket = 0) const {
        std::vector<std::uint64_t> keys;
        table.for_each([&](std::size_t at, ChainNode const& node) {
            if (at == bucket) keys.push_back(node.key);
        });
        return keys;
    }

    std::vector<ChainNode*> buckets;
    WalkedTable table;
};

class AnyWalk : public Walk {
  public:
    AnyWalk() = default;
    explicit AnyWalk(Operation what, std::uint64_t key, ChainNode* node = nullptr) { aim(what, key, node); }

    void aim(Operation what, std::uint64_t key, ChainNode* node = nullptr) {
        operation_ = what;
        seek(key, node);
    }
    [[nodiscard]] Operation operation() const { return operation_; }

    [[nodiscard]] bool enter_any(WalkedTable& table) {
        return dispatch(operation_, [&](auto known) { return enter<known>(table); });
    }
    void resume_any() {
        dispatch(operation_, [&](auto known) { resume<known>(); });
    }
    [[nodiscard]] Finished finish_any(WalkedTable& table) {
        return dispatch(operation_, [&](auto known) { return finish<known>(table); });
    }

    // Of a walk that is under way: all nodes it looks at.
    std::vector<void const*> to_the_end() {
        std::vector<void const*> touched;
        while (!is_at_end()) {
            touched.push_back(next_node());
            if (step()) break;
        }
        return touched;
    }

    // From enter to finish, without others.
    ChainNode* alone(WalkedTable& table) {
        EXPECT_TRUE(enter_any(table));
        to_the_end();
        Finished const finished = finish_any(table);
        EXPECT_EQ(finished.successor, nullptr);
        return finished.node;
    }

  private:
    Operation operation_ = Operation::Find;
};

} // namespace mxk::test
