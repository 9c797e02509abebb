// The derivation tree against a plain model: random mappings, handed on and removed.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "kernel/memory/mapping/address_space.hpp"
#include "spaces/derivation_tree.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using mapping::DerivationTree;
using mapping::Mapping;
using mapping::MappingNode;

class DerivationTreeTest : public MemoryTest {
  protected:
    static constexpr std::size_t capacity = 40;

    void SetUp() override {
        configure({1 * MiB});
        auto made = DerivationTree::create(capacity, node_id(0));
        ASSERT_TRUE(made.ok());
        tree = std::move(made).value();
    }
    void TearDown() override {
        tree = {};
        MemoryTest::TearDown();
    }
    MappingNode* insert(MappingNode* parent) {
        MappingNode* const node = tree.take();
        if (node == nullptr) return nullptr;
        // Not looked into here: a node in a tree has a space.
        node->space = reinterpret_cast<mapping::AddressSpace*>(this);
        tree.insert(*node, parent);
        return node;
    }
    void remove_with_all_below(MappingNode& top) {
        for (;;) {
            MappingNode& leaf = DerivationTree::leaf_of(top);
            tree.remove(leaf);
            if (&leaf == &top) return;
        }
    }

    DerivationTree tree;
};

TEST_F(DerivationTreeTest, is_what_a_model_says) {
    struct ModelNode {
        Mapping handle;
        std::size_t parent; // its key; 0: a root
    };
    std::mt19937_64 random(1);
    std::map<std::size_t, ModelNode> model;
    std::vector<Mapping> gone;
    std::size_t next_key = 1;
    auto const below = [&](std::size_t top) {
        std::set<std::size_t> result{top};
        for (auto const& [key, node] : model) // a child is younger than its parent
            if (result.contains(node.parent)) result.insert(key);
        return result;
    };
    for (int step = 0; step < 20'000; ++step) {
        std::size_t key = 0;
        if (!model.empty()) {
            auto at = model.begin();
            std::advance(at, static_cast<long>(random() % model.size()));
            key = at->first;
        }
        if (key != 0 && random() % 8 == 0) {
            std::set<std::size_t> const all = below(key);
            MappingNode* const top = tree.find(model[key].handle);
            ASSERT_NE(top, nullptr);
            std::size_t visited = 0;
            for (MappingNode* node = top; node != nullptr; node = DerivationTree::next(*top, *node)) ++visited;
            ASSERT_EQ(visited, all.size());
            remove_with_all_below(*top);
            for (std::size_t const removed : all) {
                gone.push_back(model[removed].handle);
                model.erase(removed);
            }
        } else {
            std::size_t const parent = random() % 4 == 0 ? 0 : key;
            MappingNode* const node = insert(parent != 0 ? tree.find(model[parent].handle) : nullptr);
            ASSERT_EQ(node == nullptr, model.size() == capacity);
            if (node != nullptr) model[next_key++] = {tree.handle(*node), parent};
        }
        ASSERT_EQ(tree.size(), model.size());
        for (auto const& [its_key, node] : model) {
            MappingNode const* const found = tree.find(node.handle);
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(found->parent, node.parent != 0 ? tree.find(model[node.parent].handle) : nullptr);
        }
    }
    for (Mapping const mapping : gone) ASSERT_EQ(tree.find(mapping), nullptr);
    ASSERT_EQ(tree.find({}), nullptr);
    ASSERT_EQ(tree.find({.place = capacity, .generation = 1}), nullptr);
}

} // namespace
} // namespace mxk::test
