#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "hashtable/modulo.hpp"
#include "hashtable/partition/modulo_cut.hpp"

namespace mxk {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

void check(Modulo const& modulo, std::uint64_t value) {
    ASSERT_EQ(modulo(value), value % modulo.divisor()) << value << " mod " << modulo.divisor();
    ASSERT_EQ(modulo.quotient(value), value / modulo.divisor()) << value << " / " << modulo.divisor();
}

TEST(Modulo, edges) {
    std::vector<std::uint64_t> edges{largest, largest - 1, 10, 1000003, 2400000, 18446744073709551557U /* prime */};
    for (unsigned bit = 0; bit < 64; ++bit) {
        for (std::uint64_t const near : {std::uint64_t{0}, std::uint64_t{1}, largest}) {
            edges.push_back((std::uint64_t{1} << bit) + near);
        }
    }
    for (std::uint64_t const divisor : edges) {
        if (divisor == 0) continue;
        Modulo const modulo(divisor);
        for (std::uint64_t const value : edges) check(modulo, value);
        std::uint64_t const last_multiple = largest / divisor * divisor;
        for (std::uint64_t const value : {std::uint64_t{0}, divisor, divisor - 1, divisor + 1, last_multiple,
                                          last_multiple - 1, last_multiple + 1, divisor * 2 - 1}) {
            check(modulo, value);
        }
    }
}

TEST(Modulo, small_numbers_all) {
    for (std::uint64_t divisor = 1; divisor <= 300; ++divisor) {
        Modulo const modulo(divisor);
        for (std::uint64_t value = 0; value <= 1000; ++value) check(modulo, value);
    }
}

TEST(Modulo, ten_million_randoms) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 10000; ++i) {
        Modulo const modulo(std::max<std::uint64_t>(1, random() >> (random() % 64)));
        for (int j = 0; j < 1000; ++j) {
            std::uint64_t const value = random() >> (j % 8);
            if (modulo(value) != value % modulo.divisor() || modulo.quotient(value) != value / modulo.divisor()) {
                FAIL() << value << " and " << modulo.divisor();
            }
        }
    }
}

TEST(Modulo, a_region_counts_from_its_first_bucket) {
    RegionModulo const placement{Modulo(100), 40};
    EXPECT_EQ(placement(1055), 15U);
}

TEST(ModuloDeathTest, nothing_is_modulo_zero) {
    EXPECT_DEATH(Modulo(0), "no less than one bucket");
}

} // namespace
} // namespace mxk
