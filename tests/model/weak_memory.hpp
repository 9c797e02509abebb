// All executions of a small program of some threads that the memory model of C++ allows, those that only weaker
// processors than x86 make among them (execution_graph.hpp says what is modelled): a stateless model checker, which
// tries each execution once. The threads are fibers of one thread; their accesses to shared memory call read(), write()
// and update() here. What it finds: a data race, a value that check() does not want, and that all wait for ever.
// (M. Kokologiannakis, I. Marmanis, V. Gladstein and V. Vafeiadis, Truly Stateless, Optimal Dynamic Partial Order
// Reduction, POPL 2022.)
//
// A thread that waits in a loop calls turn() there and stops: the executions in which it has read what it waits for are
// others. What a turn of the loop has written must not matter to others, or `turns` be more than 0. At the end of an
// execution those who have stopped go on, one turn after the other, and read what was written last; if after some
// rounds no thread has ended, they wait for ever: a wake-up is lost, or two wait for each other.
//
//     WeakMemory memory;
//     memory.explore({.begin = [&] { make the state }, .threads = {[&] { ... }, [&] { ... }}, .end = [&] { check it
//     }});
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "tests/model/execution_graph.hpp"

namespace mxk::test {

inline constexpr std::size_t max_model_events = 250; // of a thread, where a program says nothing else

struct ModelProgram {
    // Constructs all state anew: run() is called often. Memory must be at the same addresses each time.
    std::function<void()> begin;
    // They may stop anywhere and never go on: what they have on their stack is not destroyed.
    std::vector<std::function<void()>> threads;
    std::function<void()> end = [] {};
    bool may_be_cut = true; // else a thread with too many events is an error
    std::size_t max_events = max_model_events;
};

struct ModelExploration {
    std::size_t executions = 0;
    std::size_t stopped = 0;  // of these: somebody stopped in a loop, and went on at the end
    std::size_t cut = 0;      // of these: given up, since a thread had more than max_events
    std::size_t excluded = 0; // begun, and then found to be none, by what is seq_cst
    bool is_complete = false;
    std::string error; // empty: none
    std::string trace; // the execution with the error
};

class WeakMemory {
  public:
    WeakMemory() = default;
    WeakMemory(WeakMemory const&) = delete;
    WeakMemory& operator=(WeakMemory const&) = delete;
    ~WeakMemory();

    // Until an error, or all are tried, or so many. `turns`: of a loop that waits before the thread stops in it.
    ModelExploration explore(ModelProgram const& program, std::size_t max_executions, std::size_t turns = 0);

    // Of the thread that runs.
    struct Access {
        void const* where;
        std::source_location from;
        bool acquires = false;
        bool releases = false;
        bool is_plain = false;
        bool is_update = false;
        bool is_seq_cst = false;
        bool acquires_unchanged = false;   // of an update that changes nothing
        bool is_seq_cst_unchanged = false; // the same
        bool constructs = false;           // a plain write, before which there is nothing to be used
    };
    // What to write in place of a value, if anything: then the order of the access counts. Else it is a read.
    struct Change {
        std::uint64_t value;
        bool is_made;
    };
    std::uint64_t read(Access const& access);
    void write(Access const& access, std::uint64_t value);
    // In begin(): what was constructed before the run has this value, unless something has been written to it.
    void adopt(void const* where, std::uint64_t value);
    // Whether anything has been written there.
    [[nodiscard]] bool is_word(void const* where) const { return graph_.writes(where) != 0; }
    template <typename F> std::uint64_t update(Access const& access, F change) {
        std::uint64_t const old = read_with(access, [&](std::uint64_t value) { return change(value).is_made; });
        if (Change const made = change(old); made.is_made) write_with(access, made.value, true);
        return old;
    }
    void fence(Fence kind, std::source_location from = std::source_location::current());
    // The last event of the thread that runs.
    [[nodiscard]] bool last_is_update() const { return last() != nullptr && last()->is_update; }
    [[nodiscard]] bool last_is_fence() const { return last() != nullptr && last()->fence == Fence::SeqCst; }
    // `turns_before`: of the loop.
    void turn(std::size_t turns_before);
    void check(bool is_right, char const* what) {
        if (!is_right) fail(what);
    }
    // The run goes no further: does not return.
    void fail(char const* what);

    // The thread that runs, from 1 on; 0: begin() and end().
    [[nodiscard]] std::size_t self() const { return self_; }
    static WeakMemory& current() { return *current_; }

  private:
    enum class State : std::uint8_t { Ready, NeedsSource, AtNewEvent, Waits, HasEnded };
    struct Fiber {
        ucontext_t context{};
        std::unique_ptr<std::byte[]> stack;
        State state = State::HasEnded;
    };

    std::uint64_t read_with(Access const& access, std::function<bool(std::uint64_t)> const& is_update);
    void write_with(Access const& access, std::uint64_t value, bool is_update);
    bool is_recorded(MemoryEvent const& wanted);
    void check_access(Access const& access, bool is_write);
    [[nodiscard]] EventId next_id() const;
    [[nodiscard]] MemoryEvent const* last() const;
    [[nodiscard]] Clock seen() const;
    void choose_source(EventId read);
    void choose_rank(EventId write);
    void revisit_reads(EventId write);
    void note_order(EventId id);

    void run();
    void start(std::size_t thread);
    void replay();
    void extend();
    void finish();
    void go_on(std::size_t thread);
    void leave(State state);
    void give_up(); // does not return to a fiber
    [[nodiscard]] std::string waiters_text() const;
    static void enter();

    static inline WeakMemory* current_ = nullptr;

    ModelProgram const* program_ = nullptr;
    std::size_t turns_ = 0;
    ExecutionGraph graph_{1};
    std::vector<ExecutionGraph> left_; // to be tried
    std::vector<std::uint32_t> ranks_;
    std::vector<Fiber> fibers_; // the first begins and ends
    ucontext_t scheduler_{};
    std::size_t self_ = 0;
    Clock done_ = {};            // events of the run
    std::size_t new_events_ = 0; // that the thread which runs may add
    bool is_finishing_ = false;  // what is read was written last
    bool is_given_up_ = false;   // an error, or no execution
    bool is_in_fiber_ = false;
    ModelExploration result_;
};

} // namespace mxk::test
