// Rings that many senders open at once: each has one of its own, and none waits for memory that does not come.
#include "tasks/queue/mail_rings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/delays.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk {
namespace {

class MailRingsTest : public test::MemoryTest {
  protected:
    // What as many threads get that open one each.
    static std::vector<MailRing*> open_by_all(MailRings& rings, std::size_t threads) {
        std::vector<MailRing*> opened(threads);
        InjectDelays const delays;
        std::vector<std::jthread> running;
        running.reserve(threads);
        for (MailRing*& ring : opened) running.emplace_back([&] { ring = rings.open(); });
        running.clear();
        std::ranges::sort(opened);
        return opened;
    }
};

constexpr std::size_t senders = 60; // blocks of 1, 7, 30 and 22 rings

TEST_F(MailRingsTest, of_senders_that_open_them_at_once_are_each_its_own) {
    configure({64 * MiB}, {10});
    for (int round = 0; round < 20; ++round) {
        MailRings rings(std::move(MailRings::Memory::create(senders, node_id(0)).value()), node_id(0));
        auto const opened = open_by_all(rings, senders);
        EXPECT_NE(opened.front(), nullptr);
        for (std::size_t i = 1; i < opened.size(); ++i) EXPECT_GE(opened[i] - opened[i - 1], 1);
        for (MailRing const* ring : opened) EXPECT_TRUE(ring->empty());
        EXPECT_EQ(rings.open(), nullptr); // no more than there may be
    }
}

TEST_F(MailRingsTest, without_memory_are_none_and_nobody_waits) {
    configure({64 * KiB}, {10});
    for (int round = 0; round < 20; ++round) {
        MailRings rings(std::move(MailRings::Memory::create(senders, node_id(0)).value()), node_id(0));
        auto const opened = open_by_all(rings, senders);
        std::size_t const missing = static_cast<std::size_t>(std::ranges::count(opened, nullptr));
        EXPECT_GT(missing, 0U);
        EXPECT_LT(missing, senders);
        for (std::size_t i = missing + 1; i < opened.size(); ++i) EXPECT_GE(opened[i] - opened[i - 1], 1);
    }
    EXPECT_EQ(used_bytes(), 0U); // all is given back
}

} // namespace
} // namespace mxk
