// Lines that go there and back between two threads, and additions on lines of the other: all are counted, a word that
// somebody else writes to is noticed, and a core that does not answer is not waited for.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "bench/machine/line_trips.hpp"

namespace mxk::bench::test {
namespace {

using State = LineAtomics::State;

Cycles after_milliseconds(std::uint64_t count) {
    return clock::timestamp() + clock::to_cycles(microseconds(count * 1000));
}

double missing_of(Sample const& sample) {
    for (auto const& found : sample.findings.entries())
        if (found.name == "missing") return found.value;
    return -1;
}

TEST(LineTrips, are_all_made) {
    alignas(2 * cache_line_bytes) LineWord word{0};
    LineTrips trips(word, 2000, after_milliseconds(20'000));
    std::thread other([&] { trips.answer(); });
    trips.ask();
    other.join();
    auto const sample = trips.sample();
    ASSERT_TRUE(sample.ok());
    EXPECT_TRUE(sample.value().verified);
    EXPECT_EQ(sample.value().operations, 2000U);
    EXPECT_EQ(missing_of(sample.value()), 0);
    EXPECT_GT(sample.value().value, 0);
    EXPECT_EQ(word.load(), 4000U);
}

TEST(LineTrips, end_when_nobody_answers) {
    alignas(2 * cache_line_bytes) LineWord word{0};
    LineTrips trips(word, 2000, after_milliseconds(20));
    trips.ask();
    EXPECT_FALSE(trips.sample().ok());
    LineTrips others(word, 2000, after_milliseconds(20));
    others.answer();
    EXPECT_FALSE(others.sample().ok());
}

// What another has written is no answer: who asks says that it had one, and who answers does not.
TEST(LineTrips, that_somebody_else_answers_are_not_verified) {
    alignas(2 * cache_line_bytes) LineWord word{0};
    LineTrips trips(word, 1, after_milliseconds(20'000));
    std::thread other([&] {
        while (word.load() != 1) std::this_thread::yield();
        word.store(2);
    });
    trips.ask();
    other.join();
    ASSERT_TRUE(trips.sample().ok());
    EXPECT_FALSE(trips.sample().value().verified);
}

class LineAtomicsTest : public testing::TestWithParam<State> {};

TEST_P(LineAtomicsTest, are_counted_on_each_line) {
    auto atomics = std::make_unique<LineAtomics>(GetParam(), 20, after_milliseconds(20'000));
    std::thread other([&] {
        if (GetParam() != State::Owned) atomics->serve();
    });
    atomics->add();
    other.join();
    auto const sample = atomics->sample();
    ASSERT_TRUE(sample.ok());
    EXPECT_TRUE(sample.value().verified);
    EXPECT_EQ(sample.value().operations, 20 * AtomicRing::size);
    EXPECT_EQ(missing_of(sample.value()), 0);
    atomics->ring().word(77).fetch_add(1);
    EXPECT_FALSE(atomics->sample().value().verified) << "an addition too many";
}

TEST(LineAtomics, end_when_the_other_core_does_not_come) {
    for (State const state : {State::Shared, State::Remote}) {
        auto atomics = std::make_unique<LineAtomics>(state, 20, after_milliseconds(20));
        atomics->add();
        EXPECT_FALSE(atomics->sample().ok());
    }
}

INSTANTIATE_TEST_SUITE_P(All, LineAtomicsTest, testing::Values(State::Owned, State::Shared, State::Remote),
                         [](auto const& state) {
                             return state.param == State::Owned    ? "owned"
                                    : state.param == State::Shared ? "shared"
                                                                   : "remote";
                         });

// Each place once: otherwise some line would have more additions than another.
TEST(AtomicRing, goes_round_all_lines) {
    AtomicRing ring;
    EXPECT_TRUE(ring.has(0));
    for (std::uint32_t pass = 1; pass <= 3; ++pass) {
        ring.add();
        EXPECT_TRUE(ring.has(pass));
        EXPECT_FALSE(ring.has(pass + 1));
    }
}

} // namespace
} // namespace mxk::bench::test
