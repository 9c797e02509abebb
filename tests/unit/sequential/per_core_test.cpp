// PerCore: whose node an object lies on, whose cache lines, and what becomes of it.
#include "kernel/memory/per_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

struct Core {
    NodeId node;
};
constexpr std::array<Core, 4> cores{{{node_id(0)}, {node_id(1)}, {node_id(1)}, {node_id(0)}}};

// Counts those that live; neither copied nor moved.
struct Counted {
    explicit Counted(std::size_t its_place)
        : place(its_place) {
        ++alive;
    }
    ~Counted() { --alive; }
    Counted(Counted const&) = delete;
    Counted& operator=(Counted const&) = delete;
    std::size_t place;
    static inline int alive = 0;
};

PerCore<Counted> counted(std::span<Core const> of) {
    auto made = PerCore<Counted>::create(of, [](std::size_t place) { return Counted(place); });
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
}

class PerCoreTest : public MemoryTest {};

TEST_F(PerCoreTest, has_each_core_s_object_on_its_node_in_lines_of_its_own) {
    configure({1 * MiB, 1 * MiB});
    auto const made = PerCore<std::uint32_t>::create(cores, [] { return 7U; });
    ASSERT_TRUE(made.ok());
    ASSERT_EQ(made.value().size(), cores.size());
    std::vector<std::uintptr_t> lines;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        std::uint32_t const& object = made.value()[i];
        EXPECT_EQ(object, 7U);
        EXPECT_TRUE(host[index(cores[i].node)]->contains(&object)) << "place " << i;
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(&object), cache_line_bytes));
        lines.push_back(reinterpret_cast<std::uintptr_t>(&object) / cache_line_bytes);
    }
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end());
}

TEST_F(PerCoreTest, makes_each_with_what_is_its_own_and_finds_it_by_place_by_core_and_in_order) {
    configure({1 * MiB, 1 * MiB});
    PerCore<Counted> const all = counted(cores);
    EXPECT_EQ(all[2].place, 2U);
    EXPECT_EQ(all[core_id(3)].place, 3U);
    std::size_t expected = 0;
    for (Counted const& one : all) EXPECT_EQ(one.place, expected++);
    EXPECT_EQ(expected, cores.size());
    static_assert(std::forward_iterator<PerCore<Counted>::Iterator>);
}

TEST_F(PerCoreTest, destroys_its_objects_and_gives_the_memory_back) {
    configure({1 * MiB, 1 * MiB});
    {
        PerCore<Counted> const all = counted(cores);
        EXPECT_EQ(Counted::alive, 4);
        EXPECT_GT(used_bytes(), 0U);
    }
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(PerCoreTest, moves_without_moving_an_object) {
    configure({1 * MiB, 1 * MiB});
    PerCore<Counted> from = counted(cores);
    Counted const* const object = &from[1];
    PerCore<Counted> to = std::move(from);
    EXPECT_EQ(&to[1], object);
    EXPECT_EQ(from.size(), 0U); // NOLINT(bugprone-use-after-move): legal, and what is tested
    to = counted(std::span(cores).first(2));
    EXPECT_EQ(to.size(), 2U);
    to = {};
    EXPECT_EQ(Counted::alive, 0);
}

TEST_F(PerCoreTest, adds_one_after_the_other_where_making_one_can_fail) {
    configure({1 * MiB, 1 * MiB});
    auto all = PerCore<std::vector<int>>::with_room(2, node_id(1));
    ASSERT_TRUE(all.ok());
    auto const first = all.value().add(node_id(0), 3U, 5);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first.value(), &all.value()[0]);
    EXPECT_EQ(*first.value(), (std::vector<int>{5, 5, 5}));
    EXPECT_EQ(all.value().size(), 1U);
    EXPECT_TRUE(host[0]->contains(first.value()));
}

TEST_F(PerCoreTest, is_an_error_without_memory_and_keeps_nothing) {
    configure({12 * KiB}); // the places, and objects of two cores
    constexpr std::array<Core, 3> three{};
    auto const made = PerCore<Counted>::create(three, [](std::size_t place) { return Counted(place); });
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(used_bytes(), 0U);
    EXPECT_EQ(counted(std::span(three).first(2)).size(), 2U);
}

TEST_F(PerCoreTest, of_no_core_needs_no_memory) {
    configure({0});
    EXPECT_TRUE(counted({}).empty());
}

} // namespace
} // namespace mxk::test
