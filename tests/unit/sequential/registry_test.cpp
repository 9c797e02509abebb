// Registries share a section and are apart all the same.
#include "base/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

TEST(Registry, has_what_was_added_behind_what_was_linked) {
    constexpr Animal dog{4};
    constexpr Plant fern{1};
    std::array const entries{RegistryEntry{&registry_test_plants_registry, &fern},
                             RegistryEntry{&registry_test_animals_registry, &dog},
                             RegistryEntry{&registry_test_pets_registry, &dog}};
    added_entries = {entries.data(), entries.size()};
    std::vector<Animal const*> const animals(registered_animals().begin(), registered_animals().end());
    std::vector<Animal const*> const pets(registered_pets().begin(), registered_pets().end());
    std::vector<Plant const*> const plants(registered_plants().begin(), registered_plants().end());
    added_entries = {};
    EXPECT_EQ(animals.size(), 3U);
    EXPECT_EQ(animals.back(), &dog);
    EXPECT_EQ(pets, std::vector<Animal const*>{&dog});
    EXPECT_EQ(plants, (std::vector<Plant const*>{&clover, &fern}));
}

TEST(Registry, may_be_empty) {
    EXPECT_TRUE(registered_pets().empty());
    EXPECT_EQ(registered_pets().begin(), registered_pets().end());
}

} // namespace
} // namespace mxk::test
