// What the literature says of small programs, of which the checker and the enumerator have to say the same, and
// programs by chance, of which they must have as many executions.
#include "tests/model/litmus.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/long_tests.hpp"

namespace mxk::test {
namespace {

enum class Says : bool { Forbidden, Allowed };
using enum Says;

struct Litmus {
    std::string name;
    std::vector<std::string> threads;
    std::string outcome;
    Says says;
};

// Names and shapes: J. Alglave, L. Maranget, M. Tautschnig, Herding Cats, TOPLAS 2014; verdicts of RC11, with the
// programs of its paper (section 2 and 3) that C11 judged differently.
std::vector<Litmus> const litmus_tests{
    {"SB", {"x=1 rlx; r0=y rlx", "y=1 rlx; r1=x rlx"}, "r0=0 r1=0", Allowed},
    {"SB+rel+acq", {"x=1 rel; r0=y acq", "y=1 rel; r1=x acq"}, "r0=0 r1=0", Allowed},
    {"SB+sc", {"x=1 sc; r0=y sc", "y=1 sc; r1=x sc"}, "r0=0 r1=0", Forbidden},
    {"SB+fences", {"x=1 rlx; fence sc; r0=y rlx", "y=1 rlx; fence sc; r1=x rlx"}, "r0=0 r1=0", Forbidden},
    {"SB+fence", {"x=1 rlx; fence sc; r0=y rlx", "y=1 rlx; r1=x rlx"}, "r0=0 r1=0", Allowed},
    {"SB+acqrel fences", {"x=1 rlx; fence acqrel; r0=y rlx", "y=1 rlx; fence acqrel; r1=x rlx"}, "r0=0 r1=0", Allowed},
    {"SB+sc+fence", {"x=1 sc; r0=y sc", "y=1 rlx; fence sc; r1=x rlx"}, "r0=0 r1=0", Forbidden},
    {"SB+updates", {"r2=x+1 acqrel; r0=y acq", "r3=y+1 acqrel; r1=x acq"}, "r0=0 r1=0", Allowed},
    {"SB+light+heavy", {"x=1 rlx; light; r0=y rlx", "y=1 rlx; heavy; r1=x rlx"}, "r0=0 r1=0", Forbidden},
    {"SB+lights", {"x=1 rlx; light; r0=y rlx", "y=1 rlx; light; r1=x rlx"}, "r0=0 r1=0", Allowed},
    {"SB+heavies", {"x=1 rlx; heavy; r0=y rlx", "y=1 rlx; heavy; r1=x rlx"}, "r0=0 r1=0", Forbidden},
    {"SB+heavy", {"x=1 rlx; r0=y rlx", "y=1 rlx; heavy; r1=x rlx"}, "r0=0 r1=0", Allowed},
    {"MP", {"x=1 rlx; y=1 rlx", "r0=y rlx; r1=x rlx"}, "r0=1 r1=0", Allowed},
    {"MP+rel+acq", {"x=1 rlx; y=1 rel", "r0=y acq; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"MP+rel", {"x=1 rlx; y=1 rel", "r0=y rlx; r1=x rlx"}, "r0=1 r1=0", Allowed},
    {"MP+acq", {"x=1 rlx; y=1 rlx", "r0=y acq; r1=x rlx"}, "r0=1 r1=0", Allowed},
    {"MP+fences", {"x=1 rlx; fence rel; y=1 rlx", "r0=y rlx; fence acq; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"MP+fence rel+acq", {"x=1 rlx; fence rel; y=1 rlx", "r0=y acq; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"MP+rel+fence acq", {"x=1 rlx; y=1 rel", "r0=y rlx; fence acq; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"MP+sc fences", {"x=1 rlx; fence sc; y=1 rlx", "r0=y rlx; fence sc; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"MP+fence acq in front", {"x=1 rlx; y=1 rel", "fence acq; r0=y rlx; r1=x rlx"}, "r0=1 r1=0", Allowed},
    {"MP+sc", {"x=1 sc; y=1 sc", "r0=y sc; r1=x sc"}, "r0=1 r1=0", Forbidden},
    {"MP+update between", {"x=1 rlx; y=1 rel", "r2=y+1 rlx", "r0=y acq; r1=x rlx"}, "r0=2 r1=0 r2=1", Forbidden},
    {"MP+store behind", {"x=1 rlx; y=1 rel; y=2 rlx", "r0=y acq; r1=x rlx"}, "r0=2 r1=0", Allowed},
    {"LB", {"r0=x rlx; y=1 rlx", "r1=y rlx; x=1 rlx"}, "r0=1 r1=1", Forbidden}, // C++ allows it, RC11 does not
    {"LB+acq", {"r0=x acq; y=1 rlx", "r1=y acq; x=1 rlx"}, "r0=1 r1=1", Forbidden},
    {"CoRR", {"x=1 rlx", "r0=x rlx; r1=x rlx"}, "r0=1 r1=0", Forbidden},
    {"CoWW", {"x=1 rlx; x=2 rlx"}, "x=1", Forbidden},
    {"CoWR", {"x=1 rlx; r0=x rlx", "x=2 rlx"}, "r0=2 x=1", Forbidden},
    {"CoRW", {"r0=x rlx; x=1 rlx"}, "r0=1", Forbidden},
    {"CoRW2", {"r0=x rlx; x=1 rlx", "x=2 rlx"}, "r0=2 x=2", Forbidden},
    {"IRIW", {"x=1 rlx", "y=1 rlx", "r0=x rlx; r1=y rlx", "r2=y rlx; r3=x rlx"}, "r0=1 r1=0 r2=1 r3=0", Allowed},
    {"IRIW+rel+acq",
     {"x=1 rel", "y=1 rel", "r0=x acq; r1=y acq", "r2=y acq; r3=x acq"},
     "r0=1 r1=0 r2=1 r3=0",
     Allowed},
    {"IRIW+sc", {"x=1 sc", "y=1 sc", "r0=x sc; r1=y sc", "r2=y sc; r3=x sc"}, "r0=1 r1=0 r2=1 r3=0", Forbidden},
    {"IRIW+fences",
     {"x=1 rlx", "y=1 rlx", "r0=x rlx; fence sc; r1=y rlx", "r2=y rlx; fence sc; r3=x rlx"},
     "r0=1 r1=0 r2=1 r3=0",
     Forbidden},
    {"IRIW+acq+sc", {"x=1 sc", "y=1 sc", "r0=x acq; r1=y sc", "r2=y acq; r3=x sc"}, "r0=1 r1=0 r2=1 r3=0", Allowed},
    {"WRC", {"x=1 rlx", "r0=x rlx; y=1 rlx", "r1=y rlx; r2=x rlx"}, "r0=1 r1=1 r2=0", Allowed},
    {"WRC+rel+acq", {"x=1 rel", "r0=x acq; y=1 rel", "r1=y acq; r2=x rlx"}, "r0=1 r1=1 r2=0", Forbidden},
    {"2+2W", {"x=1 rlx; y=2 rlx", "y=1 rlx; x=2 rlx"}, "x=1 y=1", Allowed},
    {"2+2W+rel", {"x=1 rel; y=2 rel", "y=1 rel; x=2 rel"}, "x=1 y=1", Allowed},
    {"2+2W+sc", {"x=1 sc; y=2 sc", "y=1 sc; x=2 sc"}, "x=1 y=1", Forbidden},
    {"2+2W+fences", {"x=1 rlx; fence sc; y=2 rlx", "y=1 rlx; fence sc; x=2 rlx"}, "x=1 y=1", Forbidden},
    {"ISA2", {"x=1 rlx; y=1 rlx", "r0=y rlx; z=1 rlx", "r1=z rlx; r2=x rlx"}, "r0=1 r1=1 r2=0", Allowed},
    {"ISA2+rel+acq", {"x=1 rlx; y=1 rel", "r0=y acq; z=1 rel", "r1=z acq; r2=x rlx"}, "r0=1 r1=1 r2=0", Forbidden},
    {"RWC+rlx", {"x=1 rlx", "r0=x rlx; r1=y rlx", "y=1 rlx; r2=x rlx"}, "r0=1 r1=0 r2=0", Allowed},
    {"RWC", {"x=1 rel", "r0=x acq; r1=y acq", "y=1 rel; r2=x acq"}, "r0=1 r1=0 r2=0", Allowed},
    {"RWC+sc", {"x=1 sc", "r0=x sc; r1=y sc", "y=1 sc; r2=x sc"}, "r0=1 r1=0 r2=0", Forbidden},
    {"RWC+fences",
     {"x=1 rlx", "r0=x rlx; fence sc; r1=y rlx", "y=1 rlx; fence sc; r2=x rlx"},
     "r0=1 r1=0 r2=0",
     Forbidden},
    {"W+RWC+rlx", {"x=1 rlx; y=1 rlx", "r0=y rlx; r1=z rlx", "z=1 rlx; r2=x rlx"}, "r0=1 r1=0 r2=0", Allowed},
    {"W+RWC", {"x=1 rlx; y=1 rel", "r0=y acq; r1=z rlx", "z=1 rlx; r2=x rlx"}, "r0=1 r1=0 r2=0", Allowed},
    {"W+RWC+fences",
     {"x=1 rlx; fence sc; y=1 rlx", "r0=y rlx; fence sc; r1=z rlx", "z=1 rlx; fence sc; r2=x rlx"},
     "r0=1 r1=0 r2=0",
     Forbidden},
    {"W+RWC+sc", {"x=1 sc; y=1 rel", "r0=y acq; r1=z sc", "z=1 sc; r2=x sc"}, "r0=1 r1=0 r2=0", Forbidden},
    {"R+rlx", {"x=1 rlx; y=1 rlx", "y=2 rlx; r0=x rlx"}, "r0=0 y=2", Allowed},
    {"R", {"x=1 rel; y=1 rel", "y=2 rel; r0=x acq"}, "r0=0 y=2", Allowed},
    {"R+sc", {"x=1 sc; y=1 sc", "y=2 sc; r0=x sc"}, "r0=0 y=2", Forbidden},
    {"R+fences", {"x=1 rlx; fence sc; y=1 rlx", "y=2 rlx; fence sc; r0=x rlx"}, "r0=0 y=2", Forbidden},
    {"S", {"x=2 rlx; y=1 rlx", "r0=y rlx; x=1 rlx"}, "r0=1 x=2", Allowed},
    {"S+rel+acq", {"x=2 rlx; y=1 rel", "r0=y acq; x=1 rlx"}, "r0=1 x=2", Forbidden},
    {"Z6.0+rlx", {"x=1 rlx; y=1 rlx", "r0=y rlx; z=1 rlx", "z=2 rlx; r1=x rlx"}, "r0=1 r1=0 z=2", Allowed},
    {"Z6.0", {"x=1 rel; y=1 rel", "r0=y acq; z=1 rel", "z=2 rel; r1=x acq"}, "r0=1 r1=0 z=2", Allowed},
    {"Z6.0+sc", {"x=1 sc; y=1 sc", "r0=y sc; z=1 sc", "z=2 sc; r1=x sc"}, "r0=1 r1=0 z=2", Forbidden},
    {"Z6.0+fences",
     {"x=1 rlx; fence sc; y=1 rlx", "r0=y rlx; fence sc; z=1 rlx", "z=2 rlx; fence sc; r1=x rlx"},
     "r0=1 r1=0 z=2",
     Forbidden},
    {"Z6.U", {"x=1 sc; y=1 rel", "r0=y+1 sc; r1=y rlx", "y=3 sc; r2=x sc"}, "r0=1 r1=3 r2=0", Allowed},
    {"3.2W+sc", {"x=1 sc; y=2 sc", "y=1 sc; z=2 sc", "z=1 sc; x=2 sc"}, "x=1 y=1 z=1", Forbidden},
    {"3.SB+fences",
     {"x=1 rlx; fence sc; r0=y rlx", "y=1 rlx; fence sc; r1=z rlx", "z=1 rlx; fence sc; r2=x rlx"},
     "r0=0 r1=0 r2=0",
     Forbidden},
    {"updates", {"r0=x+1 rlx", "r1=x+1 rlx"}, "r0=0 r1=0", Forbidden},
};

TEST(Litmus, SaysWhatTheLiteratureSays) {
    EXPECT_GE(litmus_tests.size(), 30U);
    for (Litmus const& test : litmus_tests) {
        LitmusProgram const program = litmus_program(test.threads);
        LitmusExecutions const found = explored(program);
        EXPECT_EQ(has(found, test.outcome), test.says == Allowed) << test.name;
        LitmusExecutions const all = enumerated(program);
        EXPECT_EQ(found.count, all.count) << test.name;
        EXPECT_EQ(found.outcomes, all.outcomes) << test.name;
    }
}

LitmusProgram program_by_chance(std::mt19937_64& random) {
    auto const below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    std::array const orders{std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release,
                            std::memory_order_seq_cst, std::memory_order_seq_cst};
    LitmusProgram program;
    std::size_t const threads = 2 + below(2);
    std::size_t result = 0;
    for (std::size_t t = 0; t < threads; ++t) {
        program.emplace_back();
        for (std::size_t i = 0, steps = 2 + below(threads == 2 ? 3 : 2); i < steps; ++i) {
            LitmusStep step{.place = below(2), .value = 1 + below(2), .order = orders.at(below(orders.size()))};
            std::size_t const kind = below(10);
            if (kind < 4 || result >= litmus_results) {
                step.kind = LitmusStep::Kind::Store;
                if (step.order == std::memory_order_acquire) step.order = std::memory_order_release;
            } else if (kind < 8) {
                step.result = result++;
                if (step.order == std::memory_order_release) step.order = std::memory_order_acquire;
            } else if (kind == 8) {
                step.kind = LitmusStep::Kind::Add;
                step.result = result++;
            } else {
                step.kind = LitmusStep::Kind::Fence;
                step.fence = static_cast<Fence>(1 + below(6));
            }
            program.back().push_back(step);
        }
    }
    return program;
}

TEST(Litmus, HasAsManyExecutionsAsAnEnumeratorFinds) {
    std::mt19937_64 random(1);
    std::size_t executions = 0;
    for (std::size_t i = 0; i < operations(300, 50'000); ++i) {
        LitmusProgram const program = program_by_chance(random);
        LitmusExecutions const found = explored(program);
        LitmusExecutions const all = enumerated(program);
        ASSERT_EQ(found.count, all.count) << text_of(program);
        ASSERT_EQ(found.outcomes, all.outcomes) << text_of(program);
        executions += found.count;
    }
    RecordProperty("executions", static_cast<int>(executions));
}

} // namespace
} // namespace mxk::test
