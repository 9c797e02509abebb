// All ways in which the steps of some actors can follow each other, one after the other: a model checker for code whose
// accesses to shared memory call before_look() and before_change(). Each actor is a fiber of one thread; what it does
// between two of these calls is one step. Steps of different actors that do not concern each other are not tried in
// both orders (Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software", POPL 2005, with
// the sleep sets of Godefroid's thesis, 1996). Sequentially consistent: orders that a processor alone could make are
// not among them.
//
//     Interleavings all;
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

    enum class Steps : std::uint8_t {
        Accesses, // each access, and each beginning and end of an operation
        Changes,  // what lies before a change belongs to the step before: fewer, but all orders of them are tried
    };

    explicit Interleavings(Steps steps = Steps::Accesses)
        : steps_are_(steps) {}
    Interleavings(Interleavings const&) = delete;
    Interleavings& operator=(Interleavings const&) = delete;

    // False: all have been tried.
    bool next_run();
    // One of them: returns when all actors have ended. False: it differs from an earlier one only by steps that do not
    // concern each other.
    bool run(std::vector<Actor> const& actors);

    [[nodiscard]] std::size_t runs() const { return runs_; }

    // In an actor. The address is what the next access concerns; null: anything.
    static void before_look(void const* where) { point({Access::Look, where}); }
    static void before_change(void const* where) { point({Access::Change, where}); }
    // An operation that ends before another one begins must have taken effect.
    static void begin_operation() { point({Access::Begin, nullptr}); }
    static void end_operation() { point({Access::End, nullptr}); }
    // Something was unlinked: an operation that begins later must not meet it.
    static void unlinked() { point({Access::Unlinked, nullptr}); }
    // Steps that the run has taken so far.
    static std::uint64_t now();
    // The same when the actor's operation began. 0: the state is made, or checked.
    static std::uint64_t begun();

  private:
    enum class Access : std::uint8_t { Start, Look, Change, Begin, End, Unlinked };
    struct Step {
        Access access = Access::Start;
        void const* where = nullptr;
    };
    // For each actor, how many of its steps come before, because one concerns the next.
    using Before = std::vector<std::size_t>;
    struct Fiber {
        ucontext_t context{};
        std::unique_ptr<std::byte[]> stack;
        Actor const* actor = nullptr;
        Step next;               // that it is about to take
        std::uint64_t begun = 0; // its operation
        std::size_t steps = 0;
        Before before; // its last step, and itself
        bool has_ended = false;
    };
    // One bit for each actor.
    using Actors = std::uint32_t;
    // What a run did, and how it could have gone on otherwise.
    struct Choice {
        std::size_t taken = 0;
        Actors wanted = 0;   // to be taken in some run: what they did later concerns this step
        Actors tried = 0;    // before
        Actors asleep = 0;   // were tried at an earlier choice, and nothing has concerned them since
        Step step = {};      // that was taken
        std::size_t nth = 0; // of this actor
        Before before = {};  // and itself
    };

    [[nodiscard]] bool concern_each_other(Step const& a, Step const& b) const;
    static void point(Step const& step);
    static void enter();
    void start(std::vector<Actor> const& actors);
    [[nodiscard]] Actors those_to_go_on() const;
    [[nodiscard]] Actors asleep_at(std::size_t depth) const;
    void want_others(std::size_t depth, Actors enabled);
    void note_order(std::size_t depth);
    void go_on(std::size_t actor);

    static inline Interleavings* running_ = nullptr;

    Steps steps_are_;
    std::vector<Fiber> fibers_;
    std::vector<Choice> choices_; // of the last run; the next one begins with these
    ucontext_t scheduler_{};
    std::size_t current_ = 0;
    std::uint64_t steps_ = 0;
    std::size_t runs_ = 0;
};

} // namespace mxk::test
