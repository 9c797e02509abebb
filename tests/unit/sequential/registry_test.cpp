// Registries share a section and are apart all the same.
#include "base/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mxk::test {
namespace {

struct Animal {
    int legs;
};
struct Plant {
    int leaves;
};

MXK_REGISTRY(registry_test_animals, Animal, registered_animals)
MXK_REGISTRY(registry_test_pets, Animal, registered_pets) // of the same type
MXK_REGISTRY(registry_test_plants, Plant, registered_plants)

constexpr Animal cat{4};
constexpr Animal hen{2};
constexpr Plant clover{4};
MXK_REGISTER(registry_test_animals, Animal, cat);
MXK_REGISTER(registry_test_plants, Plant, clover);
MXK_REGISTER(registry_test_animals, Animal, hen);

TEST(Registry, has_what_was_registered_in_it_and_nothing_else) {
    std::vector<Animal const*> found;
    for (Animal const* const animal : registered_animals()) found.push_back(animal);
    std::sort(found.begin(), found.end());
    std::vector<Animal const*> expected{&cat, &hen};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
    ASSERT_FALSE(registered_plants().empty());
    EXPECT_EQ(*registered_plants().begin(), &clover);
}

TEST(Registry, may_be_empty) {
    EXPECT_TRUE(registered_pets().empty());
    EXPECT_EQ(registered_pets().begin(), registered_pets().end());
}

} // namespace
} // namespace mxk::test
