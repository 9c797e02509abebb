// One core's timeline, what it comes to, and the bytes and lines that it is dumped as.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/crc32.hpp"
#include "tasks/timeline/chunk.hpp"
#include "tasks/timeline/core_timeline.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk {
namespace {

class WrittenText final : public TextSink {
  public:
    void write(std::string_view text) override { written += text; }
    std::string written;
};

std::string as_base64(std::string_view text) {
    WrittenText sink;
    write_base64(sink, std::as_bytes(std::span(text)));
    return sink.written;
}

TEST(Base64, test_vectors_of_rfc_4648) {
    EXPECT_EQ(as_base64(""), "");
    EXPECT_EQ(as_base64("f"), "Zg==");
    EXPECT_EQ(as_base64("fo"), "Zm8=");
    EXPECT_EQ(as_base64("foo"), "Zm9v");
    EXPECT_EQ(as_base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(as_base64("\xff\xfe\xfb"), "//77");
    EXPECT_EQ(base64_characters(4), as_base64("four").size());
}

TEST(Crc32, pieces_give_the_sum_of_the_whole) {
    EXPECT_EQ(crc32(""), 0);
    EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414F'A339); // zlib's
    EXPECT_EQ(crc32("6789", crc32("12345")), crc32("123456789"));
}

TEST(TimelineEvent, keeps_addresses_of_both_halves) {
    for (std::uint64_t const address : {0x0000'7fff'dead'bec0UL, 0xffff'ffff'8010'0040UL, 0UL}) {
        TimelineEvent const event(EventKind::Hop, Cycles{3}, Cycles{5}, address, UINT64_MAX);
        EXPECT_EQ(event.subject(), address);
        EXPECT_EQ(event.kind(), EventKind::Hop);
        EXPECT_EQ(event.cycles(), 2);
        EXPECT_EQ(event.detail(), UINT64_MAX);
    }
}

class CoreTimelineTest : public test::MemoryTest {
  protected:
    void SetUp() override { configure({1 * MiB}); }

    static CoreTimeline make(std::size_t events) {
        return CoreTimeline(std::move(NodeArray<TimelineEvent>::create(events, node_id(0)).value()));
    }
    static std::vector<std::uint64_t> details(CoreTimeline const& timeline) {
        std::vector<std::uint64_t> found;
        for (std::size_t at = 0; at < timeline.size(); ++at) found.push_back(timeline[at].detail());
        return found;
    }
};

TEST_F(CoreTimelineTest, when_it_is_full_the_oldest_goes_and_is_counted) {
    CoreTimeline timeline = make(3);
    timeline.start(100, false);
    for (std::uint64_t i = 0; i < 3; ++i) timeline.add_instant(EventKind::Wake, nullptr, i);
    EXPECT_EQ(details(timeline), (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(timeline.lost(), 0);
    for (std::uint64_t i = 3; i < 7; ++i) timeline.add_instant(EventKind::Wake, nullptr, i);
    timeline.stop(175);
    EXPECT_EQ(details(timeline), (std::vector<std::uint64_t>{4, 5, 6}));
    EXPECT_EQ(timeline.lost(), 4);
    EXPECT_EQ(timeline.idle(), 75);
}

TEST_F(CoreTimelineTest, turns_rounds_and_idle_times_leave_no_gap) {
    CoreTimeline timeline = make(16);
    timeline.start(0, false);
    int task = 0;
    for (int i = 0; i < 3; ++i) {
        CoreTimeline::Turn turn(&task, 1);
        timeline.enter(turn);
        timeline.leave(turn);
        timeline.end_slice(EventKind::Round);
        timeline.end_slice_at(EventKind::Idle, clock::timestamp());
    }
    timeline.stop(0);
    ASSERT_EQ(timeline.size(), 9);
    EXPECT_EQ(timeline[0].begin(), timeline.started());
    EXPECT_EQ(timeline[0].subject(), reinterpret_cast<std::uintptr_t>(&task));
    for (std::size_t at = 1; at < 9; ++at) EXPECT_EQ(timeline[at].begin(), timeline[at - 1].end());
    EXPECT_LE(timeline[8].end(), timeline.stopped());
}

TEST_F(CoreTimelineTest, a_task_inside_of_one_that_waits_does_not_begin_before_the_wait) {
    CoreTimeline timeline = make(16);
    timeline.start(0, false);
    CoreTimeline::Turn outer(nullptr, 1);
    timeline.enter(outer);
    timeline.begin_slice(); // run_until
    std::uint64_t const wait = raw(clock::timestamp());
    CoreTimeline::Turn inner(nullptr, 2);
    timeline.enter(inner);
    timeline.leave(inner);
    timeline.leave(outer);
    timeline.stop(0);
    EXPECT_EQ(details(timeline), (std::vector<std::uint64_t>{2, 1})); // what is inside comes first
    EXPECT_GT(timeline[0].begin(), timeline[1].begin());
    EXPECT_LE(timeline[0].begin(), wait);
    EXPECT_LE(timeline[0].end(), timeline[1].end());
}

TEST_F(CoreTimelineTest, what_has_not_ended_at_the_stop_ends_there_and_is_recorded_once) {
    CoreTimeline timeline = make(16);
    timeline.start(0, true);
    CoreTimeline::Turn turn(nullptr, 7);
    timeline.enter(turn);
    timeline.stop(0);
    timeline.leave(turn);                                             // its body returns later
    EXPECT_EQ(details(timeline), (std::vector<std::uint64_t>{7, 0})); // 0: what had begun before the start
    EXPECT_EQ(timeline[1].begin(), timeline.started());
    EXPECT_EQ(timeline[0].end(), timeline.stopped());
    EXPECT_EQ(timeline[1].end(), timeline.stopped());
}

// TakenChunks, as a reader of its own finds them (tools/mxk_host/timeline/recording.py is the real one).
class ChunkReader {
  public:
    explicit ChunkReader(std::span<std::byte const> bytes)
        : bytes_(bytes) {}
    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
    std::uint8_t byte() { return std::to_integer<std::uint8_t>(bytes_[at_++]); }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            std::uint8_t const each = byte();
            value |= std::uint64_t{each & 0x7Fu} << shift;
            if (each < 0x80) return value;
        }
    }
    std::uint64_t difference(std::uint64_t from) {
        std::uint64_t const told = number();
        return from + (told >> 1 ^ (0 - (told & 1)));
    }

  private:
    std::span<std::byte const> bytes_;
    std::size_t at_ = 0;
};

TEST(TimelineChunk, numbers_and_differences_come_back) {
    for (std::uint64_t const number : {0UL, 1UL, 127UL, 128UL, 300UL, 1UL << 63, UINT64_MAX}) {
        timeline::Chunk chunk;
        chunk.put_number(number);
        chunk.put_difference(number, 5);
        chunk.put_difference(5, number);
        ChunkReader reader(chunk.bytes());
        EXPECT_EQ(reader.number(), number);
        EXPECT_EQ(reader.difference(number), 5);
        EXPECT_EQ(reader.difference(5), number);
        EXPECT_TRUE(reader.at_end());
    }
    timeline::Chunk chunk;
    chunk.put_difference(10, 9);
    EXPECT_EQ(chunk.bytes().size(), 1); // small ones are short, whichever way
}

TEST(TimelineChunk, a_line_carries_its_number_and_a_check_sum) {
    WrittenText sink;
    timeline::write_line(sink, 0xbeef, 3, 12, std::as_bytes(std::span("abc", 3)));
    EXPECT_EQ(sink.written, "TRACE 0000beef 3/12 YWJj 97b122f0\n");
}

class TakenChunks final : public timeline::ChunkSink {
  public:
    bool take(std::uint32_t number, std::span<std::byte const> chunk) override {
        EXPECT_EQ(number, taken.size());
        EXPECT_LE(chunk.size(), timeline::Chunk::capacity);
        taken.emplace_back(chunk.begin(), chunk.end());
        return taken.size() < wanted;
    }
    std::size_t wanted = SIZE_MAX;
    std::vector<std::vector<std::byte>> taken;
};

class TimelineCutTest : public CoreTimelineTest {
  protected:
    static constexpr std::size_t events = 500;
    static constexpr timeline::Head head{
        .frequency = 2'600'000'000, .load_offset = 4096, .platform = "p", .build = "b"};

    void TearDown() override {
        recording.cores = {}; // before the memory that it is in
        CoreTimelineTest::TearDown();
    }

    void record() {
        recording.cores = std::move(PerCore<CoreTimeline>::with_room(1, node_id(0)).value());
        auto ring = NodeArray<TimelineEvent>::create(events, node_id(0));
        CoreTimeline& core = *recording.cores.add(node_id(0), std::move(ring.value())).value();
        core.start(0, false);
        for (std::uint64_t i = 0; i < events + 10; ++i)
            core.add_instant(EventKind::Hop, &recording, i % 3 == 0 ? UINT64_MAX - i : i);
        core.stop(0);
    }

    timeline::Recording recording{.id = 1, .cores = {}, .tasks = {}};
};

TEST_F(TimelineCutTest, all_events_come_back_from_chunks_that_are_read_alone) {
    record();
    TakenChunks chunks;
    cut(recording, head, chunks);
    ASSERT_GT(chunks.taken.size(), 4);
    CoreTimeline const& core = recording.cores[0];
    std::size_t next = 0;
    for (std::size_t number = 2; number < chunks.taken.size(); ++number) {
        ChunkReader reader(chunks.taken[number]);
        EXPECT_EQ(reader.byte(), static_cast<std::uint8_t>(timeline::ChunkKind::Events));
        EXPECT_EQ(reader.number(), 0); // the core
        EXPECT_EQ(reader.number(), next);
        std::uint64_t time = reader.number();
        std::uint64_t subject = 0;
        std::uint64_t detail = 0;
        for (; !reader.at_end(); ++next) {
            EXPECT_EQ(reader.byte(), static_cast<std::uint8_t>(EventKind::Hop));
            time = reader.difference(time);
            EXPECT_EQ(reader.number(), 0); // cycles
            subject = reader.difference(subject);
            detail = reader.difference(detail);
            EXPECT_EQ(time, core[next].end());
            EXPECT_EQ(subject, core[next].subject());
            EXPECT_EQ(detail, core[next].detail());
        }
    }
    EXPECT_EQ(next, events);
}

TEST_F(TimelineCutTest, chunks_are_the_same_each_time_and_end_where_no_more_are_wanted) {
    record();
    TakenChunks all;
    cut(recording, head, all);
    TakenChunks some;
    some.wanted = 3;
    cut(recording, head, some);
    ASSERT_EQ(some.taken.size(), 3);
    all.taken.resize(3);
    EXPECT_EQ(some.taken, all.taken);
}

} // namespace
} // namespace mxk
