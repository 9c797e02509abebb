// What a holder hands on with a node's lock comes to the next one as it was: as many passes as options allow.
#include <gtest/gtest.h>

#include <thread>

#include "base/spin_wait.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/hemlock.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "locks/tts_lock.hpp"

namespace mxk::locks {
namespace {

using Near = Smp::Near;

template <typename Lock> class HandedPasses : public testing::Test {};
using NodeLocks = testing::Types<Mcs<Near>, Ticket<Near>, Tts<Near>, Hemlock<Near>, InlineHemlock<Near>,
                                 Hemlock<Near, {.counts_in_word = true}>,
                                 Hemlock<Near, {.writes_to_look = true, .ahead = true, .counts_in_word = true}>>;
TYPED_TEST_SUITE(HandedPasses, NodeLocks);

TYPED_TEST(HandedPasses, come_as_they_were) {
    for (Handed const handed : {Handed{1}, Handed{50}, Handed{63}, Handed{64}, Handed{127}, Handed{128}, max_passes}) {
        SmpSite const site;
        TypeParam lock(site);
        typename TypeParam::Node own;
        ASSERT_EQ(lock.acquire(own), acquire_upper);
        Handed received = acquire_upper;
        std::thread next([&] {
            typename TypeParam::Node node;
            received = lock.acquire(node);
            lock.release(node, acquire_upper);
        });
        for (SpinWait wait; lock.alone(own);) wait.turn();
        lock.release(own, handed);
        next.join();
        EXPECT_EQ(received, handed);
        ASSERT_EQ(lock.acquire(own), acquire_upper);
        lock.release(own, acquire_upper);
    }
}

} // namespace
} // namespace mxk::locks
