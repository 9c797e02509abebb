// One execution of a concurrent program under the memory model of C++: which write each read has read from, and in
// which order the writes of each location come. The model is RC11 (O. Lahav et al., Repairing Sequential Consistency in
// C/C++11, PLDI 2017), of which C++20's seq_cst is: an event follows what it depends on, so that nothing comes "out of
// thin air", and what is seq_cst has no cycle of RC11's relation psc. A release sequence is a write and the updates
// that read from it, one from another, as since C++20.
//
// An asymmetric fence (P1202R5) is a pair: a light one, which only keeps the compiler from moving accesses over it, and
// a heavy one, which makes every other thread execute a fence at some moment: membarrier, or an interrupt to each core
// that is waited for. Between a light and a heavy one, and between two heavy ones, psc is as between two seq_cst
// fences; between two light ones there is nothing.
//
// A thread's events are in the order of the program. `stamp` is the order in which they were added, by which the
// exploration (weak_memory.hpp) knows what to take away.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace mxk::test {

inline constexpr std::size_t max_model_threads = 5; // the first makes the state, and checks it

// How many of each thread's events are meant: its first ones.
using Clock = std::array<std::uint16_t, max_model_threads>;
inline void join(Clock& clock, Clock const& other) {
    for (std::size_t i = 0; i < clock.size(); ++i)
        if (clock[i] < other[i]) clock[i] = other[i];
}

struct EventId {
    std::uint16_t thread = 0;
    std::uint16_t at = 0;
    bool operator==(EventId const&) const = default;
    [[nodiscard]] bool is_in(Clock const& clock) const { return at < clock[thread]; }
};

enum class Fence : std::uint8_t { None, Acquire, Release, Both, SeqCst, Light, Heavy };

struct MemoryEvent {
    void const* where = nullptr;
    std::uint64_t value = 0; // that was written or read
    std::source_location from = {};
    std::uint32_t stamp = 0;
    std::uint32_t rank = 0;    // of a write among those of its location
    EventId source = {};       // of a read
    bool is_write = false;     // an update is a read and, if that has read what it was to, a write right after it
    bool is_update = false;    // part of one
    bool is_plain = false;     // not atomic: no order, and an error if it races with another one
    bool is_ordered = false;   // a read that acquires; a write that releases
    bool is_seq_cst = false;   // a fence, too
    Fence fence = Fence::None; // neither read nor write then
    Clock before = {};         // what happens before it, and itself
    Clock depends_on = {};     // what it follows from, and itself: order of the program, and reading from
    Clock published = {};      // of a write: what happens before a read that acquires from it
    Clock offered = {};        // what happens before the thread's last fence that releases
    Clock acquirable = {};     // what its reads so far would have acquired: a fence does that later

    [[nodiscard]] bool is_fence() const { return fence != Fence::None; }
    [[nodiscard]] bool is_read() const { return !is_write && !is_fence(); }
};

class ExecutionGraph {
  public:
    explicit ExecutionGraph(std::size_t threads)
        : events_(threads) {}

    [[nodiscard]] std::size_t threads() const { return events_.size(); }
    [[nodiscard]] std::size_t events_of(std::size_t thread) const { return events_[thread].size(); }
    [[nodiscard]] std::size_t events() const;
    [[nodiscard]] MemoryEvent& at(EventId id) { return events_[id.thread][id.at]; }
    [[nodiscard]] MemoryEvent const& at(EventId id) const { return events_[id.thread][id.at]; }

    // Behind the thread's last one, with the next stamp. A write's place among others is still to be said.
    EventId add(std::size_t thread, MemoryEvent const& event);
    // `rank`: how many writes of the location come before it.
    void place(EventId write, std::uint32_t rank);

    [[nodiscard]] std::uint32_t writes(void const* where) const;
    [[nodiscard]] EventId write(void const* where, std::uint32_t rank) const;
    // How many of the location's writes are older than the oldest that may still be read after what `seen` says.
    [[nodiscard]] std::uint32_t first_readable(void const* where, Clock const& seen) const;
    // The ranks that a new write may have, in `ranks`: a write that an update has read from stays next to that update.
    void possible_ranks(EventId write, std::vector<std::uint32_t>& ranks) const;
    // An access of the location that is not ordered before what `seen` says, and races with a new one; or none.
    [[nodiscard]] std::optional<EventId> race(void const* where, bool is_write, bool is_plain, Clock const& seen) const;

    // Whether `read` could read from `write`, which was added later and does not follow from it, in an execution
    // without what was added after `read` and is not what `write` follows from; and whether this is the one execution
    // of those that become the same then which has to try that. (M. Kokologiannakis et al., Truly Stateless, Optimal
    // Dynamic Partial Order Reduction, POPL 2022.)
    [[nodiscard]] bool is_to_be_revisited(EventId read, EventId write) const;
    // That execution: `write` has no rank in it.
    [[nodiscard]] ExecutionGraph without_later(EventId read, EventId write) const;

    // Whether what is seq_cst has no cycle. Of events whose clocks are known.
    [[nodiscard]] bool is_sequentially_consistent() const;

    // An event in a line each, thread by thread.
    [[nodiscard]] std::string text() const;
    // "2.3", as events are called there.
    static std::string name(EventId id) { return std::to_string(id.thread) + "." + std::to_string(id.at); }

    template <typename F> void for_each(F f) const {
        for (std::size_t thread = 0; thread < events_.size(); ++thread)
            for (std::size_t i = 0; i < events_[thread].size(); ++i)
                f(EventId{static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(i)}, events_[thread][i]);
    }

  private:
    [[nodiscard]] bool is_added_last(EventId id, Clock const& kept) const;

    // Of a location: how many writes have a place, and which has the last one.
    struct Placed {
        void const* where;
        std::uint32_t writes;
        EventId last;
    };
    void count(EventId write, bool is_last);
    [[nodiscard]] Placed const* placed(void const* where) const;

    std::vector<std::vector<MemoryEvent>> events_;
    std::vector<Placed> placed_; // by location
    std::uint32_t stamps_ = 0;
};

// "acquire() mcs_lock.hpp:46": without what the compiler says of types.
std::string text_of(std::source_location const& from);
std::string function_of(std::source_location const& from);
std::string file_of(std::source_location const& from);

} // namespace mxk::test
