// All ways in which the steps of some actors can follow each other, one after the other: a model checker for code whose
// accesses to shared memory call before_look() and before_change(). Each actor is a fiber of one thread; what it does
// between two of these calls is one step. Steps of different actors that do not concern each other are not tried in
// both orders (sleep sets: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996).
// Sequentially consistent: orders that a processor alone could make are not among them.
//
//     Interleavings all({});
//     while (all.next_run()) {
//         ... make the state
//         all.run({[&] { Interleavings::begin_operation(); table.insert(a); Interleavings::end_operation(); }, ...});
//         ... check it
//     }
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace mxk::test {

class Interleavings {
  public:
    using Actor = std::function<void()>;
    struct Bounds {
        // Whether each access is a step of its own. If only changes are, looks belong to the step before: fewer ways,
        // and all of them have to be tried.
        bool looks_are_steps = true;
    };

    explicit Interleavings(Bounds bounds)
        : bounds_(bounds) {}
    Interleavings(Interleavings const&) = delete;
    Interleavings& operator=(Interleavings const&) = delete;

    // False: all have been tried.
    bool next_run();
    // One of them: returns when all actors have ended. False: it differs from an earlier one only by steps that do not
    // concern each other.
    bool run(std::vector<Actor> const& actors);

    [[nodiscard]] std::size_t runs() const { return runs_; }

    // In an actor. The address is what the next access concerns. An operation's beginning comes before or after each
    // change and each end of others' operations: who takes part in it may be given back only later, and what ended
    // before must have taken effect.
    static void before_look(void const* where) { point({Access::Look, where}); }
    static void before_change(void const* where) { point({Access::Change, where}); }
    static void begin_operation() { point({Access::Begin, nullptr}); }
    static void end_operation() { point({Access::End, nullptr}); }
    // Steps that the run has taken so far.
    static std::uint64_t now();

  private:
    enum class Access : std::uint8_t { Start, Look, Change, Begin, End };
    struct Step {
        Access access = Access::Start;
        void const* where = nullptr;
    };
    struct Fiber {
        ucontext_t context{};
        std::unique_ptr<std::byte[]> stack;
        Actor const* actor = nullptr;
        Step next; // that it is about to take
        bool has_ended = false;
    };
    // Where a run could have gone on otherwise.
    struct Choice {
        std::size_t taken;
        std::vector<std::size_t> enabled;
        std::vector<std::size_t> tried; // before
        std::vector<std::size_t> asleep;
    };

    [[nodiscard]] bool concern_each_other(Step const& a, Step const& b) const;
    static void point(Step const& step);
    static void enter();
    void start(std::vector<Actor> const& actors);
    [[nodiscard]] std::vector<std::size_t> those_to_go_on() const;
    [[nodiscard]] std::vector<std::size_t> asleep_after(Choice const& choice) const;
    void go_on(std::size_t actor);

    static inline Interleavings* running_ = nullptr;

    Bounds bounds_;
    std::vector<Fiber> fibers_;
    std::vector<Choice> choices_; // of the last run; the next one begins with these
    Step last_;                   // that was taken
    ucontext_t scheduler_{};
    std::size_t current_ = 0;
    std::uint64_t steps_ = 0;
    std::size_t runs_ = 0;
};

} // namespace mxk::test
